/** A process that takes the lock of a file, says `held`, and keeps it until it is killed or standard input ends. Argument: file. */
import { once } from 'node:events';
import { withFileLock } from '../../../../../../src/adapters/driven/credential-source/files/file-lock.ts';

const [file = ''] = process.argv.slice(2);
await withFileLock(file, async () => {
  process.stdout.write('held');
  await once(process.stdin.resume(), 'end');
});
