import { hash, randomFillSync } from 'node:crypto';
import { getAddress } from 'ethers/address';
import secp256k1 from 'secp256k1-native';
import type { SecretBytes } from '../../domain/model/account.ts';
import {
  ALGORITHM_ROWS,
  type Algorithm,
  isEthereumAlgorithm,
  type SignatureEncoding,
  type SignatureScheme,
} from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import { isExchangeDomain } from '../../domain/payload/hyperliquid-agent.ts';
import { readSignDoc } from '../../domain/payload/sign-doc.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { keccak256 } from '../node/node-hasher.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

const POINT_BYTES = 65;
const COMPRESSED_POINT_BYTES = 33;

const S_OFFSET = 32;
const RECOVERY_OFFSET = 64;

const FIRST_V = 27;

/** Half the group order (SEC 2 §2.4.1), big-endian. */
const HALF_GROUP_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message) (EIP-712). */
const TYPED_DATA_BYTES = 66;

/** What a scheme signs. */
interface Messages {
  /** Valid on no platform. */
  readonly probe: Uint8Array;
  /** The 32-byte digest to sign; undefined for messages that the scheme never signs. */
  readonly getDigest: (message: Uint8Array) => Uint8Array | undefined;
}

const MESSAGES: { readonly [Scheme in SignatureScheme]?: Messages } = {
  /** EIP-191 version 0x45 ("personal_sign"), for any message. */
  'personal-message': {
    probe: SELF_TEST_PROBE,
    getDigest: (message) =>
      keccak256(Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1'), message),
  },
  /**
   * EIP-712 typed data (EIP-191 version 0x01), except for the domain of Hyperliquid's L1 actions.
   * The probe is SelfTest(string purpose) with purpose "signing-service/key-self-test/v1" in the
   * domain "signing-service/key-self-test" version 1, which no platform uses.
   */
  'typed-data': {
    probe: Buffer.from(
      '1901cf1dc15c90111bf48e9807044d08070c54be6edd851bd0514d9921551f285f029a952160546c362933d05cfdc09fb858f45e13b889c0cbad6a3f840d0f5a7d70',
      'hex',
    ),
    getDigest: (message) => (isExchangeDomain(message) ? undefined : typedDataDigest(message)),
  },
  /**
   * EIP-712 data of the domain Exchange / 1 / 1337 / 0x0 only, so that what signs orders cannot
   * sign a withdrawal. A named rule may give an account both. The probe is an agent with an empty
   * source and the connectionId 0, which is valid in neither network: their sources are `a` and
   * `b`.
   */
  'hyperliquid-l1': {
    probe: Buffer.from(
      '1901d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa40400f493caa53da6337facdbe72fff6266a715bacd81d9fd8adae10939ce8d368cb',
      'hex',
    ),
    getDigest: (message) => (isExchangeDomain(message) ? typedDataDigest(message) : undefined),
  },
  /**
   * Only the canonical bytes of a SignDoc (SIGN_MODE_DIRECT) of the Cosmos SDK. The probe is of a
   * chain that does not exist, with a message type that no chain knows.
   * @see https://docs.cosmos.network/main/build/architecture/adr-020-protobuf-transaction-encoding
   */
  'sign-doc': {
    probe: Buffer.from(
      '0a230a210a1f2f7369676e696e672e736572766963652e76312e4b657953656c6654657374120a0a0612040a02080112001a207369676e696e672d736572766963652d6b65792d73656c662d746573742d7631',
      'hex',
    ),
    getDigest: (message) => (readSignDoc(message).ok ? hash('sha256', message, 'buffer') : undefined),
  },
};

/**
 * ECDSA over secp256k1, by libsecp256k1 with RFC 6979 nonces and low s. Only digests that are
 * computed here are signed, never a caller's own.
 *
 * - Algorithms of Ethereum: signature of 65 bytes r‖s‖v, v 27 or 28 (EIP-2); public key 0x-hex of
 *   the 65-byte uncompressed point
 * - Others: signature of 64 bytes r‖s; public key base64 of the 33-byte compressed point (SEC 1
 *   §2.3.3)
 */
export class Secp256k1Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm;
  readonly address;
  readonly probe;
  readonly #getDigest;
  #probeDigest: Uint8Array | undefined;
  /** Reused to spare allocations. */
  readonly #recoverable = Buffer.alloc(secp256k1.secp256k1_ecdsa_recoverable_SIGBYTES);
  readonly #withV = Buffer.alloc(RECOVERY_OFFSET + 1);
  readonly #withoutV = this.#withV.subarray(0, RECOVERY_OFFSET);
  readonly #signature: Buffer;

  constructor(algorithm: Algorithm) {
    const messages = MESSAGES[ALGORITHM_ROWS[algorithm].scheme];
    if (messages === undefined) throw new Error(`${algorithm} is not over secp256k1.`);
    const isEthereum = isEthereumAlgorithm(algorithm);
    this.algorithm = algorithm;
    this.address = isEthereum ? ethereumAddress : undefined;
    this.probe = messages.probe;
    this.#getDigest = messages.getDigest;
    this.#signature = isEthereum ? this.#withV : this.#withoutV;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    if (!secp256k1.secp256k1_ec_seckey_verify(getSigningContext(), privateKey)) {
      throw new InvalidPrivateKeyError(
        'The key is not a secp256k1 private key: it is zero or not below the group order.',
      );
    }
    copySecret(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const context = getSigningContext();
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    secp256k1.secp256k1_ec_pubkey_create(context, point, signingKey);
    if (this.address !== undefined) return formatPoint(context, point);
    const serialized = Buffer.alloc(COMPRESSED_POINT_BYTES);
    secp256k1.secp256k1_ec_pubkey_serialize(context, serialized, point, secp256k1.secp256k1_ec_COMPRESSED);
    return serialized.toString('base64');
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    const digest = this.#digest(message);
    if (digest === undefined) throw new Error(`Not a message that ${this.algorithm} signs.`);
    const context = getSigningContext();
    secp256k1.secp256k1_ecdsa_sign_recoverable(context, this.#recoverable, digest, signingKey);
    const recoveryId = secp256k1.secp256k1_ecdsa_recoverable_signature_serialize_compact(
      context,
      this.#withoutV,
      this.#recoverable,
    );
    this.#withV[RECOVERY_OFFSET] = FIRST_V + recoveryId;
    return encodeSignature(this.#signature, encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const digest = this.#digest(message);
    const bytes = decodeSignature(signature, encoding, this.#signature.length);
    if (digest === undefined || bytes === undefined) return false;
    try {
      if (this.address === undefined) return isSignature(publicKey, bytes, digest);
      return isCanonical(bytes) && recover(bytes, digest) === publicKey;
    } catch {
      // Numbers outside the ranges, or no point.
      return false;
    }
  }

  /** Hashes the probe once, not for each tested key. */
  #digest(message: Uint8Array): Uint8Array | undefined {
    if (message !== this.probe) return this.#getDigest(message);
    this.#probeDigest ??= this.#getDigest(message);
    return this.#probeDigest;
  }
}

/** The digest of 66 bytes of encoded EIP-712 data; undefined for anything else. */
function typedDataDigest(message: Uint8Array): Uint8Array | undefined {
  const isTypedData = message.length === TYPED_DATA_BYTES && message[0] === 0x19 && message[1] === 0x01;
  return isTypedData ? keccak256(message) : undefined;
}

/** Whether r‖s, with low s, is the signature of a compressed public key in base64. */
function isSignature(publicKey: string, signature: Buffer, digest: Uint8Array): boolean {
  const key = decodeSignature(publicKey, 'base64', COMPRESSED_POINT_BYTES);
  if (key === undefined) return false;
  return secp256k1.secp256k1_ecdsa_verify(getVerifyingContext(), parse(signature), digest, parsePoint(key));
}

/** v is 27 or 28, and s is low (EIP-2). */
function isCanonical(signature: Buffer): boolean {
  const v = signature[RECOVERY_OFFSET];
  const s = signature.subarray(S_OFFSET, RECOVERY_OFFSET);
  return (v === FIRST_V || v === FIRST_V + 1) && Buffer.compare(s, HALF_GROUP_ORDER) <= 0;
}

/**
 * The public key of r‖s‖v. The library's recoverable signature is its plain one plus a recovery id
 * byte. Assembled here because the binding's parse function (1.1.3) reads the wrong argument and
 * always throws. If the layout changed, no signature would verify.
 */
function recover(signature: Buffer, digest: Uint8Array): string {
  const plain = parse(signature.subarray(0, RECOVERY_OFFSET));
  const recoverable = Buffer.concat([plain, Buffer.of(Number(signature[RECOVERY_OFFSET]) - FIRST_V)]);
  const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
  secp256k1.secp256k1_ecdsa_recover(getVerifyingContext(), point, recoverable, digest);
  return formatPoint(getVerifyingContext(), point);
}

/** The library's signature of r‖s. */
function parse(compact: Buffer): Buffer {
  const plain = Buffer.alloc(secp256k1.secp256k1_ecdsa_SIGBYTES);
  secp256k1.secp256k1_ecdsa_signature_parse_compact(getVerifyingContext(), plain, compact);
  return plain;
}

function formatPoint(context: Buffer, point: Buffer): string {
  const serialized = Buffer.alloc(POINT_BYTES);
  secp256k1.secp256k1_ec_pubkey_serialize(context, serialized, point, secp256k1.secp256k1_ec_UNCOMPRESSED);
  return `0x${serialized.toString('hex')}`;
}

const POINT_TEXT = /^0x04[0-9A-Fa-f]{128}$/;

/** An address is the last 20 of 32 hash bytes. */
const ADDRESS_OFFSET = 12;

/**
 * Ethereum address of a secp256k1 public key with EIP-55 checksum
 * (https://eips.ethereum.org/EIPS/eip-55).
 * @param publicKey 0x-hex of the 65-byte uncompressed point
 * @returns null if it is not a point of the curve
 */
function ethereumAddress(publicKey: string): string | null {
  if (!POINT_TEXT.test(publicKey)) return null;
  const point = Buffer.from(publicKey.slice(2), 'hex');
  try {
    parsePoint(point);
  } catch {
    return null;
  }
  const hash = keccak256(point.subarray(1));
  return getAddress(`0x${Buffer.from(hash.subarray(ADDRESS_OFFSET)).toString('hex')}`);
}

/** The library's public key. @throws Error if the bytes are no point of the curve */
function parsePoint(serialized: Buffer): Buffer {
  const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
  secp256k1.secp256k1_ec_pubkey_parse(getVerifyingContext(), point, serialized);
  return point;
}

const USES_PER_BLINDING = 1000;

const seed = Buffer.alloc(32);
let signing: Buffer | undefined;
let verifying: Buffer | undefined;
let usesLeft = 0;

/**
 * The process's libsecp256k1 context for operations with private keys, blinded against side
 * channels at first use and every 1000 uses.
 */
function getSigningContext(): Buffer {
  signing ??= secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  if (usesLeft === 0) {
    randomFillSync(seed);
    secp256k1.secp256k1_context_randomize(signing, seed);
    seed.fill(0);
    usesLeft = USES_PER_BLINDING;
  }
  usesLeft -= 1;
  return signing;
}

/** The process's libsecp256k1 context for public operations. Its tables take some 20 ms to make. */
function getVerifyingContext(): Buffer {
  verifying ??= secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_VERIFY);
  return verifying;
}
