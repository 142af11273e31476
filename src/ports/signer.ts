import type { SecretBytes } from '../domain/model/account.ts';
import type { Algorithm, SignatureEncoding } from '../domain/model/algorithm.ts';

/**
 * One signing algorithm.
 *
 * An adapter MUST NOT copy a secret, MUST NOT turn it into text, BigInt or an ordinary buffer, and
 * MUST keep it out of error messages. It MAY work on the stack of native code.
 */
interface SigningAlgorithm {
  readonly algorithm: Algorithm;

  /** Length of the key that `sign` takes, bytes; absent: that of the private key. */
  readonly signingKeyLength?: number;

  /** A message of the right kind that no platform accepts, for testing keys. */
  readonly probe: Uint8Array;

  /** A published private key, for the self-test; absent: any 32 bytes are a private key. */
  readonly selfTestKey?: Uint8Array;

  /**
   * Writes the signing key of `privateKey` into `signingKey`.
   * @throws InvalidPrivateKeyError for an invalid key
   */
  expand(privateKey: SecretBytes, signingKey: SecretBytes): void;

  /** Text form of the public key, see `AlgorithmRow.publicKey`. */
  publicKey(signingKey: SecretBytes): string;

  /**
   * The signature's text.
   * @throws Error for a message of a kind that this algorithm never signs
   */
  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string;
}

/** An algorithm whose signatures verify with the public key. */
export interface PublicKeySigner extends SigningAlgorithm {
  readonly kind: 'public-key';

  /**
   * Ethereum address of a public key, with the checksum of EIP-55; null for an invalid key. Absent
   * where the algorithm has none.
   */
  readonly address?: ((publicKey: string) => string | null) | undefined;

  /** Whether `signature` is this public key's over `message`. False for malformed input. */
  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean;
}

/** An algorithm whose signatures need the secret to verify. */
export interface MacSigner extends SigningAlgorithm {
  readonly kind: 'mac';

  /** HMAC secrets have no address. */
  readonly address?: never;

  /**
   * Whether `signature` is this secret's over `message`, in constant time. False for malformed
   * input.
   */
  verifyWithSecret(
    signingKey: SecretBytes,
    message: Uint8Array,
    signature: string,
    encoding: SignatureEncoding,
  ): boolean;
}

/** See {@link PublicKeySigner} and {@link MacSigner}. */
export type Signer = PublicKeySigner | MacSigner;

/** Loads the Signer of one algorithm; the same one each time. */
export type LoadSigner = (algorithm: Algorithm) => Promise<Signer>;

/** The Signer of every algorithm. */
export type SignerTable = { readonly [Name in Algorithm]: Signer };
