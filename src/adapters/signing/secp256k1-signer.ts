import secp256k1 from 'secp256k1-native';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { Secp256k1Algorithm, SignatureEncoding } from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { getSigningContext, getVerifyingContext } from '../vault/secp256k1-contexts.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { ethereumAddress } from './ethereum-address.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';

/** Length of a secp256k1 private key. */
export const PRIVATE_KEY_BYTES = 32;
const PUBLIC_KEY_BYTES = 65;
const SIGNATURE_BYTES = 65;

const S_OFFSET = 32;
const RECOVERY_OFFSET = 64;

const FIRST_V = 27;

/** Half the group order (SEC 2 §2.4.1), big-endian. */
const HALF_GROUP_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

interface Secp256k1Messages {
  readonly algorithm: Secp256k1Algorithm;
  readonly probe: Uint8Array;
  /** The 32-byte digest to sign; undefined for messages that this algorithm never signs. */
  readonly getDigest: (message: Uint8Array) => Uint8Array | undefined;
}

/**
 * ECDSA over secp256k1 as Ethereum uses it, by libsecp256k1 with RFC 6979 nonces. Signature: 65
 * bytes r‖s‖v, low s (EIP-2), v 27 or 28. Public key: 0x-hex of the 65-byte uncompressed point.
 * Only digests that a subclass computes are signed, never a caller's own.
 */
export abstract class Secp256k1Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly address = ethereumAddress;
  readonly algorithm;
  readonly privateKeyLengths = { min: PRIVATE_KEY_BYTES, max: PRIVATE_KEY_BYTES };
  readonly probe;
  readonly #getDigest;
  #probeDigest: Uint8Array | undefined;
  /** Reused to spare allocations. */
  readonly #recoverable = Buffer.alloc(secp256k1.secp256k1_ecdsa_recoverable_SIGBYTES);
  readonly #signature = Buffer.alloc(SIGNATURE_BYTES);
  readonly #withoutRecovery = this.#signature.subarray(0, RECOVERY_OFFSET);

  constructor({ algorithm, probe, getDigest }: Secp256k1Messages) {
    this.algorithm = algorithm;
    this.probe = probe;
    this.#getDigest = getDigest;
  }

  signingKeyLength(): number {
    return PRIVATE_KEY_BYTES;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    copyScalar(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    secp256k1.secp256k1_ec_pubkey_create(getSigningContext(), point, signingKey);
    return formatPoint(getSigningContext(), point);
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    const digest = this.#digest(message);
    if (digest === undefined) throw new Error(`Not a message that ${this.algorithm} signs.`);
    const context = getSigningContext();
    secp256k1.secp256k1_ecdsa_sign_recoverable(context, this.#recoverable, digest, signingKey);
    const recoveryId = secp256k1.secp256k1_ecdsa_recoverable_signature_serialize_compact(
      context,
      this.#withoutRecovery,
      this.#recoverable,
    );
    this.#signature[RECOVERY_OFFSET] = FIRST_V + recoveryId;
    return encodeSignature(this.#signature, encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const digest = this.#digest(message);
    const bytes = decodeSignature(signature, encoding, SIGNATURE_BYTES);
    if (digest === undefined || bytes === undefined || !isCanonical(bytes)) return false;
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    try {
      secp256k1.secp256k1_ecdsa_recover(getVerifyingContext(), point, parseRecoverable(bytes), digest);
    } catch {
      return false;
    }
    return formatPoint(getVerifyingContext(), point) === publicKey;
  }

  /** Hashes the probe once, not for each tested key. */
  #digest(message: Uint8Array): Uint8Array | undefined {
    if (message !== this.probe) return this.#getDigest(message);
    this.#probeDigest ??= this.#getDigest(message);
    return this.#probeDigest;
  }
}

/**
 * Copies a private key.
 * @throws InvalidPrivateKeyError if it is zero or not below the group order
 */
export function copyScalar(privateKey: SecretBytes, signingKey: SecretBytes): void {
  if (!secp256k1.secp256k1_ec_seckey_verify(getSigningContext(), privateKey)) {
    throw new InvalidPrivateKeyError(
      'The key is not a secp256k1 private key: it is zero or not below the group order.',
    );
  }
  copySecret(privateKey, signingKey);
}

/** v is 27 or 28, and s is low (EIP-2). */
function isCanonical(signature: Buffer): boolean {
  const v = signature[RECOVERY_OFFSET];
  const s = signature.subarray(S_OFFSET, RECOVERY_OFFSET);
  return (v === FIRST_V || v === FIRST_V + 1) && Buffer.compare(s, HALF_GROUP_ORDER) <= 0;
}

/**
 * The library's recoverable signature is its plain one plus a recovery id byte. Assembled here
 * because the binding's parse function (1.1.3) reads the wrong argument and always throws. If the
 * layout changed, no signature would verify.
 */
function parseRecoverable(signature: Buffer): Buffer {
  const plain = Buffer.alloc(secp256k1.secp256k1_ecdsa_SIGBYTES);
  const compact = signature.subarray(0, RECOVERY_OFFSET);
  secp256k1.secp256k1_ecdsa_signature_parse_compact(getVerifyingContext(), plain, compact);
  return Buffer.concat([plain, Buffer.of(Number(signature[RECOVERY_OFFSET]) - FIRST_V)]);
}

function formatPoint(context: Buffer, point: Buffer): string {
  const serialized = Buffer.alloc(PUBLIC_KEY_BYTES);
  secp256k1.secp256k1_ec_pubkey_serialize(context, serialized, point, secp256k1.secp256k1_ec_UNCOMPRESSED);
  return `0x${serialized.toString('hex')}`;
}
