import secp256k1 from 'secp256k1-native';
import type { Secp256k1Algorithm } from '../../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';
import type { PublicKeySigner } from '../../../ports/signer.ts';
import { ethereumAddress } from './ethereum-address.ts';
import { Secp256k1Context } from './secp256k1-context.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';

const PRIVATE_KEY_BYTES = 32;
const PUBLIC_KEY_BYTES = 65;
const SIGNATURE_BYTES = 65;

/** Where s and v stand in r‖s‖v. */
const S_OFFSET = 32;
const RECOVERY_OFFSET = 64;

/** v is 27 plus the recovery id. */
const FIRST_V = 27;

/** Half the order of the group (SEC 2 §2.4.1), big-endian. */
const HALF_GROUP_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** What tells one algorithm over secp256k1 from another. */
export interface Secp256k1Messages {
  readonly algorithm: Secp256k1Algorithm;
  readonly probe: Uint8Array;
  /** The 32 bytes that are signed for a message; undefined for a message that this algorithm never signs. */
  readonly digestOf: (message: Uint8Array) => Uint8Array | undefined;
}

/**
 * ECDSA over secp256k1 as Ethereum's wallets use it, by libsecp256k1 with the nonce of RFC 6979. A signature is 65 bytes r‖s‖v, s in the
 * lower half of the order (EIP-2), v 27 or 28. The public key's text is 0x-hex of the 65-byte
 * uncompressed point. What is signed is always the digest of a message that an algorithm's own class vouches for: no caller has a way to a
 * signature over a digest of its own.
 */
export abstract class Secp256k1Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly address = ethereumAddress;
  readonly algorithm;
  readonly privateKeyLengths = { min: PRIVATE_KEY_BYTES, max: PRIVATE_KEY_BYTES };
  readonly probe;
  readonly #digestOf;
  readonly #probeDigest;
  readonly #context = new Secp256k1Context();
  /** Signatures are made here and written as text at once: memory of its own for each would have to be taken from the system and collected again. */
  readonly #made = Buffer.alloc(secp256k1.secp256k1_ecdsa_recoverable_SIGBYTES);
  readonly #signature = Buffer.alloc(SIGNATURE_BYTES);
  readonly #withoutRecovery = this.#signature.subarray(0, RECOVERY_OFFSET);
  readonly #verifying = secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_VERIFY);

  constructor({ algorithm, probe, digestOf }: Secp256k1Messages) {
    this.algorithm = algorithm;
    this.probe = probe;
    this.#digestOf = digestOf;
    this.#probeDigest = digestOf(probe);
  }

  signingKeyLength(): number {
    return PRIVATE_KEY_BYTES;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    if (!secp256k1.secp256k1_ec_seckey_verify(this.#context.native, privateKey)) {
      throw new InvalidPrivateKeyError(
        'The key is not a secp256k1 private key: it is zero or not below the group order.',
      );
    }
    signingKey.set(privateKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    secp256k1.secp256k1_ec_pubkey_create(this.#context.forSigning(), point, signingKey);
    return this.#pointText(point);
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    const digest = this.#digest(message);
    if (digest === undefined) throw new Error(`This is no message that ${this.algorithm} signs.`);
    const context = this.#context.forSigning();
    secp256k1.secp256k1_ecdsa_sign_recoverable(context, this.#made, digest, signingKey);
    const recoveryId = secp256k1.secp256k1_ecdsa_recoverable_signature_serialize_compact(
      context,
      this.#withoutRecovery,
      this.#made,
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
      secp256k1.secp256k1_ecdsa_recover(this.#verifying, point, this.#recoverable(bytes), digest);
    } catch {
      return false;
    }
    return this.#pointText(point) === publicKey;
  }

  /** A probe is hashed once, not for each key that is tested with it. */
  #digest(message: Uint8Array): Uint8Array | undefined {
    return message === this.probe ? this.#probeDigest : this.#digestOf(message);
  }

  /**
   * The library's form of a recoverable signature is its form of a plain one and a byte for the recovery id. It is put together here because
   * the binding's own parse function (1.1.3) takes the recovery id from the wrong argument and always throws. Were the form to
   * change, recovery would yield another key and no signature would verify.
   */
  #recoverable(signature: Buffer): Buffer {
    const plain = Buffer.alloc(secp256k1.secp256k1_ecdsa_SIGBYTES);
    secp256k1.secp256k1_ecdsa_signature_parse_compact(this.#verifying, plain, signature.subarray(0, RECOVERY_OFFSET));
    return Buffer.concat([plain, Buffer.of(Number(signature[RECOVERY_OFFSET]) - FIRST_V)]);
  }

  #pointText(point: Buffer): string {
    const serialized = Buffer.alloc(PUBLIC_KEY_BYTES);
    secp256k1.secp256k1_ec_pubkey_serialize(
      this.#context.native,
      serialized,
      point,
      secp256k1.secp256k1_ec_UNCOMPRESSED,
    );
    return `0x${serialized.toString('hex')}`;
  }
}

/** v is 27 or 28, and s in the lower half of the group order (EIP-2). */
function isCanonical(signature: Buffer): boolean {
  const v = signature[RECOVERY_OFFSET];
  const s = signature.subarray(S_OFFSET, RECOVERY_OFFSET);
  return (v === FIRST_V || v === FIRST_V + 1) && Buffer.compare(s, HALF_GROUP_ORDER) <= 0;
}
