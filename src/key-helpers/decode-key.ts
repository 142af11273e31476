import { HelperProblem, readWholeFile, serveRequest, UnreadableFile, writeSecret } from './helper-program.ts';
import { type DecodedKey, decodeKey, decodeUtf8, type KeyToDecode } from './key-formats.ts';

/*
 * The key helper that decodes private keys from files, and from the configuration of developers.
 * One run decodes many, one after another.
 */

const MAX_KEY_FILE_BYTES = 16_384;
const MAX_PASSWORD_FILE_BYTES = 1024;

await serveRequest(async ({ keys }: { readonly keys: readonly KeyToDecode[] }) => {
  const decoded: DecodedKey[] = [];
  for (const key of keys) decoded.push(await decode(key));
  return { keys: decoded };
});

async function decode(key: KeyToDecode): Promise<DecodedKey> {
  let place: 'file' | 'passwordFile' = 'file';
  let isPasswordRead = false;
  const readPassword = (file: string) => {
    isPasswordRead = true;
    place = 'passwordFile';
    const password = decodeUtf8(readWholeFile(file, MAX_PASSWORD_FILE_BYTES));
    place = 'file';
    return password.replace(/\r?\n$/, '');
  };
  let decoded: Uint8Array;
  try {
    const content = 'file' in key ? readWholeFile(key.file, MAX_KEY_FILE_BYTES) : Buffer.from(key.plaintext);
    decoded = await decodeKey(content, key, readPassword);
    if ('file' in key && key.passwordFile !== undefined && !isPasswordRead) {
      throw new HelperProblem('a password file was given, but it is not encrypted; remove the password file');
    }
  } catch (error) {
    // Messages of libraries may quote their input.
    const { code, name } = error as NodeJS.ErrnoException;
    const unexpected = `it cannot be decoded (${code ?? name}); export the key again`;
    const problem = error instanceof HelperProblem ? error.message : unexpected;
    return { problem, in: place, code: error instanceof UnreadableFile ? error.code : undefined };
  }
  return { length: writeSecret(decoded) };
}
