/** A process that initialises, and prints what came of it. Arguments: credentials file, master key file. */
import { initialiseFiles } from '../../../../../src/adapters/driven/credential-source/initialise-files.ts';

const [file = '', masterKeyFile = ''] = process.argv.slice(2);
try {
  process.stdout.write(JSON.stringify(await initialiseFiles(file, masterKeyFile)));
} catch (error) {
  process.stdout.write(String(error));
}
