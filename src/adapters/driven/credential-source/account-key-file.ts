import type { Algorithm } from '../../../domain/model/algorithm.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyFileFormat } from '../../../ports/credential-editor.ts';
import type { PemCurve } from '../../../secure-memory/decode-pkcs8.ts';
import { withKeyFile } from '../../../secure-memory/key-file.ts';

/** A key file as an operator names it. */
export interface KeyFileReference {
  readonly file: string;
  /** Absent: told from the content where that is certain. */
  readonly format?: KeyFileFormat | undefined;
  /** Password file of an Ethereum V3 keystore. */
  readonly passwordFile?: string | undefined;
}

const CURVES: { readonly [Name in Algorithm]: PemCurve } = { ed25519: 'ed25519', eip191: 'secp256k1' };

/**
 * Lends the private key in a file to a synchronous callback: `length` bytes for `algorithm`, in locked memory, wiped when `use` ends. An ed25519
 * key may also stand as seed and public key, 64 bytes, as Solana's tools write it; a secp256k1 key may not.
 *
 * @throws KeyFileError when the file can't be read or holds no such key
 */
export function withAccountKeyFile<Result>(
  reference: KeyFileReference,
  algorithm: Algorithm,
  length: number,
  use: (privateKey: SecretBytes) => Result,
): Result {
  const allowSeedWithPublicKey = algorithm === 'ed25519';
  return withKeyFile({ ...reference, length, curve: CURVES[algorithm], allowSeedWithPublicKey }, use);
}
