import { Point, verify } from '@scure/starknet';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import { FELT_PRIME, MESSAGE_PREFIX } from '../../domain/payload/typed-data/starknet.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { ECDSA_NUMBER_BYTES, Ecdsa } from './ecdsa.ts';
import { ScureStarknetHasher } from './scure-starknet-hasher.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';
import { STARK_CURVE } from './stark-curve.ts';

const HASHER = new ScureStarknetHasher();

const SIGNATURE_BYTES = 64;

/** The revision and four felts. */
const MESSAGE_BYTES = 1 + 4 * ECDSA_NUMBER_BYTES;

const PUBLIC_KEY = /^0x[0-9a-f]{64}$/;

/** Of a compressed point (SEC 1 §2.3.3). */
const EVEN_Y = 2;

/** Public keys whose points are kept. */
const MAX_POINTS = 1024;

/** Message hashes must be below 2^251; one of 2^55 is not. */
const HASH_END = 2n ** 251n;

/**
 * Revision 0, the message prefix, and the domain, account and message 0, 1 and 2, which are no
 * hashes and no account.
 */
const PROBE = Buffer.concat([
  Buffer.of(0),
  ...[MESSAGE_PREFIX, 0n, 1n, 2n].map((felt) => Buffer.from(felt.toString(16).padStart(64, '0'), 'hex')),
]);

/**
 * SNIP-12 typed data by ECDSA over the Stark curve. Signs the 129 bytes of
 * `encodeStarknetData` only: it hashes the four felts behind the revision itself, of which
 * the first is the prefix of messages, so no transaction is signed. Signature: r ‖ s, 64 bytes.
 * Public key: 0x-hex of the x coordinate, 32 bytes, as venues show it. Signing is code of this
 * project in locked memory ({@link Ecdsa}); verification is @scure/starknet.
 */
export class StarknetSigner implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'starknet';
  readonly probe: Uint8Array = PROBE;
  readonly #ecdsa = new Ecdsa(STARK_CURVE);
  /** The square root behind them takes a millisecond. */
  readonly #points = new Map<string, readonly Uint8Array[]>();

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    if (!this.#ecdsa.isPrivateKey(privateKey)) {
      throw new InvalidPrivateKeyError(
        'The key is not a private key of the Stark curve: it is zero or not below the group order.',
      );
    }
    copySecret(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    return `0x${this.#ecdsa.publicKey(signingKey).toString('hex')}`;
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    const hash = hashMessage(message);
    if (hash === undefined) throw new Error('Not a message that starknet signs.');
    return encodeSignature(this.#ecdsa.sign(signingKey, hash), encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const hash = hashMessage(message);
    const bytes = decodeSignature(signature, encoding, SIGNATURE_BYTES);
    if (hash === undefined || bytes === undefined || !PUBLIC_KEY.test(publicKey)) return false;
    return this.#pointsOf(publicKey).some((point) => isSignature(bytes, hash, point));
  }

  /**
   * Both points with the x coordinate: account contracts accept either. None for another number.
   */
  #pointsOf(publicKey: string): readonly Uint8Array[] {
    const known = this.#points.get(publicKey);
    if (known !== undefined) return known;
    const points = findPoints(publicKey);
    if (this.#points.size >= MAX_POINTS) this.#points.clear();
    this.#points.set(publicKey, points);
    return points;
  }
}

/** The hash to sign, 32 bytes; undefined for a message that is not of this algorithm. */
function hashMessage(message: Uint8Array): Buffer | undefined {
  if (message.length !== MESSAGE_BYTES) return undefined;
  const [revision] = message;
  const felts = [0, 1, 2, 3].map((index) =>
    BigInt(
      `0x${Buffer.from(message.subarray(1 + index * ECDSA_NUMBER_BYTES).subarray(0, ECDSA_NUMBER_BYTES)).toString('hex')}`,
    ),
  );
  if (revision !== 0 && revision !== 1) return undefined;
  if (felts[0] !== MESSAGE_PREFIX || felts.some((felt) => felt >= FELT_PRIME)) return undefined;
  const number = HASHER.hash(revision, felts);
  if (number >= HASH_END) return undefined;
  return Buffer.from(number.toString(16).padStart(2 * ECDSA_NUMBER_BYTES, '0'), 'hex');
}

function findPoints(publicKey: string): readonly Uint8Array[] {
  try {
    const point = Point.fromBytes(Buffer.concat([Buffer.of(EVEN_Y), Buffer.from(publicKey.slice(2), 'hex')]));
    return [point, point.negate()].map((one) => one.toBytes(false));
  } catch {
    return [];
  }
}

function isSignature(signature: Buffer, hash: Buffer, point: Uint8Array): boolean {
  try {
    return verify(signature, hash, point, { format: 'compact' });
  } catch {
    // It throws for numbers outside the ranges.
    return false;
  }
}
