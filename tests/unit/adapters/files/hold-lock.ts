/**
 * Program: locks a file, prints `held`, and holds the lock until killed or end of input. Argument:
 * file.
 */
import { once } from 'node:events';
import { withFileLock } from '../../../../src/adapters/files/file-lock.ts';

const [file = ''] = process.argv.slice(2);
await withFileLock(file, async () => {
  process.stdout.write('held');
  await once(process.stdin.resume(), 'end');
});
