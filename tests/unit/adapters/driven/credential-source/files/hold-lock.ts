/** A process that takes the lock of a file, says `held`, and keeps it until it is killed. Argument: file. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '../../../../../../src/adapters/driven/credential-source/files/file-lock.ts';

const [file = ''] = process.argv.slice(2);
await withFileLock(file, async () => {
  process.stdout.write('held');
  await sleep(600_000);
});
