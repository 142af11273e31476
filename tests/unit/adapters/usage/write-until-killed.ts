/**
 * Replaces a snapshot and kills itself before one of the file operations; prints `written` at its
 * end. Arguments: audit file, number of accounts, number of the operation, from 1.
 */
import { writeSnapshot } from '../../../../src/adapters/usage/usage-snapshot.ts';
import { hookFileOperations } from '../credentials/master-key-rotation/file-operations-hook.ts';
import { sampleSnapshot } from './usage-samples.ts';

const [auditFile = '', accounts = '0', fatal = '0'] = process.argv.slice(2);
let count = 0;
await hookFileOperations(({ changes }) => {
  if (changes) count += 1;
  if (count === Number(fatal)) process.kill(process.pid, 'SIGKILL');
});
await writeSnapshot(auditFile, sampleSnapshot(Number(accounts), 2000));
process.stdout.write('written');
