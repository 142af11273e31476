import type { Stats } from 'node:fs';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { PUBLIC_PEM_HEADING, parsePublicKey } from './public-key-text.ts';
import { readTextFile } from './read-text-file.ts';

const GROUP_OR_OTHERS_READ = 0o044;
const PEM_HEADING = Buffer.from(PUBLIC_PEM_HEADING);

/**
 * The public key in a file. A seed is 32 bytes in hex as a public key is, and one in sixteen is a usable point: nothing else than who may read its file tells that it is a secret, which would travel in the headers of requests. So a
 * file that is its owner's alone is refused, unless its heading says that it holds a public key; then nothing of it was decoded or quoted.
 * @throws EditRefusedError for such a file and for what is no usable key, OperatorError for one
 * that can't be read
 */
export function readPublicKeyFile(file: string): Buffer {
  const text = readTextFile(file, 'The public key', 'Check the path.', (content, stats) =>
    refusePrivate(file, content, stats),
  );
  return usablePublicKey(text);
}

/** The public key that a text is. @throws EditRefusedError for what is none that can be used */
export function usablePublicKey(text: string): Buffer {
  const publicKey = parsePublicKey(text);
  if (publicKey !== null) return publicKey;
  throw new EditRefusedError(
    'That is no Ed25519 public key that can be used: it has to be base58, 64 hex digits or PEM, and a point of the prime order group. It may be a private key, whose 64 hex digits look the same: give the public half.',
  );
}

function refusePrivate(file: string, content: Buffer, { mode }: Stats): void {
  if ((mode & GROUP_OR_OTHERS_READ) !== 0 || content.indexOf(PEM_HEADING) === 0) return;
  throw new EditRefusedError(
    `${file} looks like a private key: its owner alone may read it (its mode is 0${(mode & 0o777).toString(8)}). What it holds would stand in the token, which travels in headers. Name the file with the public half; if this is it, let others read it (chmod 644) and try again.`,
  );
}
