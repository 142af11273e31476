/**
 * Program: rotates a master key and kills itself before one changing operation; prints the outcome
 * otherwise. Arguments: credentials file, master key file, number of the operation, from 1.
 */
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { hookFileOperations } from './file-operations-hook.ts';

const [file = '', primary = '', fatal = '0'] = process.argv.slice(2);
const masterKeyFiles = { primary, previous: `${primary}.previous` };
let count = 0;
await hookFileOperations(({ changes }) => {
  if (changes) count += 1;
  if (count === Number(fatal)) process.kill(process.pid, 'SIGKILL');
});
const administration = new MasterKeyAdministration({ file, masterKeyFiles, prompt: new TypedPassphrases() });
const { outcome } = await administration.rotate(false);
process.stdout.write(outcome);
