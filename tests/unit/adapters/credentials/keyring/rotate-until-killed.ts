/**
 * Program: rotates or retires master keys and kills itself before one changing operation; prints
 * `done` otherwise. Arguments: rotate or retire, credentials file, master key file, number of the
 * operation, from 1.
 */
import { hookFileOperations } from './file-operations-hook.ts';
import { COMMANDS } from './interrupted-rotations.ts';
import { administrationOf } from './rotated-workplace.ts';

const [command = '', file = '', masterKeyFile = '', fatal = '0'] = process.argv.slice(2);
let count = 0;
await hookFileOperations(({ changes }) => {
  if (changes) count += 1;
  if (count === Number(fatal)) process.kill(process.pid, 'SIGKILL');
});
await COMMANDS[command === 'retire' ? 'retire' : 'rotate'](administrationOf({ file, masterKeyFile }));
process.stdout.write('done');
