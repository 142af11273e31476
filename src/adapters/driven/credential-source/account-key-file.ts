import { isMacAlgorithm, isSecp256k1Algorithm } from '../../../domain/model/algorithm.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyFileFormat } from '../../../ports/credential-editor.ts';
import type { PemCurve } from '../../../secure-memory/decode-pkcs8.ts';
import { KEY_FORMATS, TEXT_FORMATS } from '../../../secure-memory/detect-key-format.ts';
import { withKeyFile } from '../../../secure-memory/key-file.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import type { WantedKey } from './wanted-key.ts';

/** A key file as an operator names it. */
export interface KeyFileReference {
  readonly file: string;
  /** Absent: of an HMAC secret as its platform writes it; of another key told from the content where that is certain. */
  readonly format?: KeyFileFormat | undefined;
  /** Password file of an Ethereum V3 keystore. */
  readonly passwordFile?: string | undefined;
}

/** A secret is no key of a curve, and base58 is no form in which platforms give secrets out. */
const SECRET_FORMATS: readonly KeyFileFormat[] = ['raw', 'hex', 'base64', ...TEXT_FORMATS];
const KEY_PAIR_FORMATS: readonly KeyFileFormat[] = KEY_FORMATS;

/**
 * Lends the private key in a file to a synchronous callback: as many bytes as are wanted, in locked memory, wiped when `use` ends. An ed25519
 * key may also stand as seed and public key, 64 bytes, as Solana's tools write it; a secp256k1 key may not. What an HMAC secret is made of is
 * never guessed: in a text of hex digits most platforms mean the characters, and some the bytes.
 *
 * @throws KeyFileError when the file can't be read or holds no such key, or its format is none in which such a key is written
 */
export function withAccountKeyFile<Result>(
  reference: KeyFileReference,
  { algorithm, lengths, secretDecoding }: WantedKey,
  use: (privateKey: SecretBytes) => Result,
): Result {
  if (isMacAlgorithm(algorithm)) {
    const format = reference.format ?? secretDecoding;
    assertFormat(reference.file, format, SECRET_FORMATS, 'an HMAC secret is not written as');
    return withKeyFile({ ...reference, format, lengths }, use);
  }
  const { file, format } = reference;
  if (format !== undefined) assertFormat(file, format, KEY_PAIR_FORMATS, `a key for ${algorithm} is not written as`);
  const curve: PemCurve = isSecp256k1Algorithm(algorithm) ? 'secp256k1' : algorithm;
  return withKeyFile({ ...reference, lengths, curve, allowSeedWithPublicKey: curve === 'ed25519' }, use);
}

function assertFormat(file: string, format: KeyFileFormat, allowed: readonly KeyFileFormat[], problem: string): void {
  if (allowed.includes(format)) return;
  const choice = allowed.join(', ');
  throw new KeyFileError(file, `${problem} ${format}; name its format, with --key-format or "format": ${choice}`);
}
