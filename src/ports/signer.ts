import type { Algorithm, MacAlgorithm } from '../domain/model/algorithm.ts';
import type { KeyLengths } from '../domain/model/key-lengths.ts';
import type { SecretBytes } from '../domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../domain/model/signature-encoding.ts';

/**
 * One signing algorithm.
 *
 * An adapter MUST NOT copy a secret out of the bytes it is lent, MUST NOT turn it into text, BigInt or an ordinary buffer, and MUST
 * give error messages that say nothing of it. It MAY work on the stack of native code.
 */
interface SigningAlgorithm<Name extends Algorithm> {
  readonly algorithm: Name;

  /** Bytes of a private key as kept at rest (an ed25519 seed, a secp256k1 scalar, an HMAC secret). */
  readonly privateKeyLengths: KeyLengths;

  /** Bytes of the form that `sign` works with, of a private key of so many bytes. */
  signingKeyLength(privateKeyLength: number): number;

  /** A message of a kind that this algorithm signs and that no platform takes: what a new key is tested with. */
  readonly probe: Uint8Array;

  /**
   * Writes the signing key of `privateKey` into `signingKey`.
   * @throws InvalidPrivateKeyError when it is no key of this algorithm.
   */
  expand(privateKey: SecretBytes, signingKey: SecretBytes): void;

  /**
   * The public key's text form: ed25519 base58 of 32 bytes; eip191, eip712, hyperliquid-l1 0x-hex of the 65-byte uncompressed point; HMAC an
   * identifier of the secret, `hmac:` and 16 hex digits.
   */
  publicKey(signingKey: SecretBytes): string;

  /**
   * Signs `message` and returns the signature's text.
   * @throws Error when the message is of a kind that this algorithm never signs.
   */
  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string;
}

/** An algorithm whose signatures everybody can verify who has the public key. */
export interface PublicKeySigner extends SigningAlgorithm<Exclude<Algorithm, MacAlgorithm>> {
  readonly kind: 'public-key';

  /**
   * The Ethereum address of a public key, with the checksum of EIP-55; null for a text that is no
   * such key. Absent where keys of the algorithm have none.
   */
  readonly address?: (publicKey: string) => string | null;

  /** Whether `signature` is this public key's over `message`. False, never an error, for anything malformed. */
  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean;
}

/** An algorithm whose signatures need the secret to be verified. */
export interface MacSigner extends SigningAlgorithm<MacAlgorithm> {
  readonly kind: 'mac';

  /** A secret has no address. */
  readonly address?: never;

  /** Whether `signature` is this secret's over `message`, compared in constant time. False, never an error, for anything malformed. */
  verifyWithSecret(
    signingKey: SecretBytes,
    message: Uint8Array,
    signature: string,
    encoding: SignatureEncoding,
  ): boolean;
}

/** See {@link PublicKeySigner} and {@link MacSigner}. */
export type Signer = PublicKeySigner | MacSigner;

/** The Signer of every algorithm. */
export type SignerTable = { readonly [Name in Algorithm]: Signer };
