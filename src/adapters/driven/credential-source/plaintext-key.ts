import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import { decodeBase58 } from '../../../secure-memory/decode-base58.ts';
import { decodeHex } from '../../../secure-memory/decode-hex.ts';
import { withLockedBytes } from '../../../secure-memory/locked-buffer.ts';
import { MalformedSecretError } from '../../../secure-memory/malformed-secret-error.ts';

/**
 * Lends the private key in a text of the credentials file, decoded in locked memory: hex (two digits a byte, `0x` allowed) or base58. For development only: the text
 * itself is a JavaScript string and stays in ordinary memory for an unknown time.
 *
 * @throws MalformedSecretError when the text is neither, or not exactly `length` bytes
 */
export function withPlaintextKey<Result>(
  plaintext: string,
  length: number,
  use: (privateKey: SecretBytes) => Result,
): Result {
  return withLockedBytes(Buffer.byteLength(plaintext), (text) => {
    text.write(plaintext);
    return withLockedBytes(length, (privateKey) => {
      const written = isHex(plaintext, length) ? decodeHex(text, privateKey) : decodeBase58(text, privateKey);
      if (written !== length) throw new MalformedSecretError(`it holds ${written} bytes; ${length} are needed`);
      return use(privateKey);
    });
  });
}

/** No base58 text of so many bytes has as many digits, and none has a zero in it. */
function isHex(plaintext: string, length: number): boolean {
  return plaintext.startsWith('0x') || plaintext.length === 2 * length;
}
