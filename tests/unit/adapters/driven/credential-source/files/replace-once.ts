/** A process that replaces one file by so many bytes of new content. Arguments: file, number of bytes. */
import { replaceFile } from '../../../../../../src/adapters/driven/credential-source/files/replace-file.ts';

const [file = '', bytes = '0'] = process.argv.slice(2);
try {
  await replaceFile(file, 'B'.repeat(Number(bytes)), async () => undefined);
  process.stdout.write('replaced');
} catch (error) {
  process.stdout.write(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
