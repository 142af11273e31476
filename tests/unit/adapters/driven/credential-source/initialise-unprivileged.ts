/**
 * A process that initialises as a user whom the limit on locked memory binds, and prints what came of it.
 * Arguments: credentials file, master key file.
 */
import { initialiseFiles } from '../../../../../src/adapters/driven/credential-source/initialise-files.ts';

// Root is exempt from the limit on locked memory.
if (process.getuid?.() === 0) process.setuid?.(65534);

const [file = '', masterKeyFile = ''] = process.argv.slice(2);
try {
  process.stdout.write(JSON.stringify(await initialiseFiles(file, masterKeyFile)));
} catch (error) {
  process.stdout.write(String(error));
}
