import { isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import { decodeBase58 } from '../../../secure-memory/decode-base58.ts';
import { decodeBase64 } from '../../../secure-memory/decode-base64.ts';
import { decodeHex } from '../../../secure-memory/decode-hex.ts';
import { decodeText, decodeTextToBase64 } from '../../../secure-memory/decode-text.ts';
import { boundsText } from '../../../secure-memory/length-bounds.ts';
import { withLockedBytes } from '../../../secure-memory/locked-buffer.ts';
import { MalformedSecretError } from '../../../secure-memory/malformed-secret-error.ts';
import type { WantedKey } from './wanted-key.ts';

/** Writes what a text stands for and returns the number of bytes. */
type Decode = (text: Buffer, output: Buffer) => number;

const SECRET_DECODERS: { readonly [Name in SecretDecoding]: Decode } = {
  utf8: decodeText,
  hex: decodeHex,
  base64: decodeBase64,
  'base64-text': decodeTextToBase64,
};

/**
 * Lends the private key in a text of the credentials file, decoded in locked memory: hex (two digits a byte, `0x` allowed) or base58, an HMAC secret as its
 * platform writes it. For development only: the text itself is a JavaScript string and stays in ordinary memory for an unknown time.
 *
 * @throws MalformedSecretError when the text is nothing of that, or of a length that is not wanted
 */
export function withPlaintextKey<Result>(
  plaintext: string,
  wanted: WantedKey,
  use: (privateKey: SecretBytes) => Result,
): Result {
  const { lengths } = wanted;
  return withLockedBytes(Buffer.byteLength(plaintext), (text) => {
    text.write(plaintext);
    return withLockedBytes(lengths.max, (privateKey) => {
      const written = decoderOf(plaintext, wanted)(text, privateKey);
      if (written < lengths.min || written > lengths.max) {
        throw new MalformedSecretError(`it holds ${written} bytes; ${boundsText(lengths)} are needed`);
      }
      return use(privateKey.subarray(0, written));
    });
  });
}

function decoderOf(plaintext: string, { algorithm, lengths, secretDecoding }: WantedKey): Decode {
  if (isMacAlgorithm(algorithm)) return SECRET_DECODERS[secretDecoding];
  return isHex(plaintext, lengths) ? decodeHex : decodeBase58;
}

/** No base58 text of so many bytes has as many digits, and none has a zero in it. */
function isHex(plaintext: string, { max }: KeyLengths): boolean {
  return plaintext.startsWith('0x') || plaintext.length === 2 * max;
}
