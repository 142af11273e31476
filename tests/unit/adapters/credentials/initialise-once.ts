/** Program: initialises and prints the result. Arguments: credentials file, master key file. */
import { initialiseFiles } from '../../../../src/adapters/credentials/editor/initialise-files.ts';

const [file = '', masterKeyFile = ''] = process.argv.slice(2);
try {
  process.stdout.write(JSON.stringify(await initialiseFiles(file, masterKeyFile)));
} catch (error) {
  process.stdout.write(String(error));
}
