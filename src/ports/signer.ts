import type { Algorithm } from '../domain/model/algorithm.ts';
import type { SecretBytes } from '../domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../domain/model/signature-encoding.ts';

/**
 * One signing algorithm.
 *
 * An adapter MUST NOT copy a secret out of the bytes it is lent, MUST NOT turn it into text, BigInt or an ordinary buffer, and MUST
 * give error messages that say nothing of it. It MAY work on the stack of native code.
 */
export interface Signer {
  readonly algorithm: Algorithm;

  /** Bytes of a private key as kept at rest (an ed25519 seed, a secp256k1 scalar). */
  readonly privateKeyLength: number;

  /** Bytes of the form that `sign` works with. */
  readonly signingKeyLength: number;

  /**
   * Writes the signing key of `privateKey` into `signingKey`.
   * @throws InvalidPrivateKeyError when it is no key of this algorithm.
   */
  expand(privateKey: SecretBytes, signingKey: SecretBytes): void;

  /** The public key's text form (ed25519: base58 of 32 bytes; eip191: 0x-hex of the 65-byte uncompressed point). */
  publicKey(signingKey: SecretBytes): string;

  /** Signs `message` and returns the signature's text. */
  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string;

  /** Whether `signature` is this public key's over `message`. False, never an error, for anything malformed. */
  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean;
}

/** The Signer of every algorithm. */
export type SignerTable = { readonly [Name in Algorithm]: Signer };
