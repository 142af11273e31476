/** Program: replaces a file. Arguments: file, number of bytes. */
import { replaceFile } from '../../../../src/adapters/files/replace-file.ts';

const [file = '', bytes = '0'] = process.argv.slice(2);
try {
  await replaceFile(file, { write: (handle) => handle.writeFile('B'.repeat(Number(bytes))) });
  process.stdout.write('replaced');
} catch (error) {
  process.stdout.write(error instanceof Error && 'code' in error ? `${error.name} ${error.code}` : String(error));
}
