/**
 * Program: initialises as an unprivileged user and prints the result. Arguments: credentials file,
 * master key file.
 */
import { initialiseFiles } from '../../../../src/adapters/credentials/editor/initialise-files.ts';

// The lock limit does not apply to root.
if (process.getuid?.() === 0) process.setuid?.(65534);

const [file = '', masterKeyFile = ''] = process.argv.slice(2);
try {
  process.stdout.write(JSON.stringify(await initialiseFiles(file, masterKeyFile)));
} catch (error) {
  process.stdout.write(String(error));
}
