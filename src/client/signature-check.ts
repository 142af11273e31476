import { canonicalJson } from './canonical-json.ts';
import { COSMOS_SIGNATURE_BYTES, isCosmosKey, isCosmosSignature } from './cosmos-signature.ts';
import { isEd25519Signature, readPublicKey } from './ed25519.ts';
import { decodeAnyEncoding, decodeText } from './encodings.ts';
import { VerificationError, type VerificationIssue } from './errors.ts';
import { isEs256Signature, P256_KEY } from './es256.ts';
import { ETHEREUM_SIGNATURE_BYTES, type EthereumMessage, isEthereumSignature } from './ethereum-signature.ts';
import type { ExpectedPayload, SigningClientOptions } from './options.ts';
import { isRsaSignature, readRsaPublicKey } from './rsa-signature.ts';
import type { AccountName, Algorithm, JsonObject, SignedPayload, SignRequest } from './types.ts';

/** Rules available by name. */
export const RULE_NAMES: readonly ExpectedPayload[] = ['jcs', 'json', 'raw'];

/** Applies a payload rule; throws a TypeError for unsuitable data. */
export function applyRule(rule: ExpectedPayload, data: JsonObject): Buffer {
  if (typeof rule === 'function') {
    const payload = rule(data);
    return typeof payload === 'string' ? Buffer.from(payload, 'utf8') : Buffer.from(payload);
  }
  if (rule === 'jcs') return Buffer.from(canonicalJson(data), 'utf8');
  if (rule === 'json') return Buffer.from(JSON.stringify(data), 'utf8');
  return rawBytes(data);
}

/** Rule `raw`: one of `text`, `hex` (with or without `0x`) and `base64`. */
function rawBytes({ text, hex, base64 }: JsonObject): Buffer {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  if (typeof hex === 'string') return Buffer.from(hex.startsWith('0x') ? hex.slice(2) : hex, 'hex');
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw new TypeError('data must be { text }, { hex } or { base64 } on a platform with rule raw.');
}

/** Kind of a public key. */
export type KeyKind = 'ed25519' | 'secp256k1' | 'cosmos' | 'mac' | 'stark' | 'rsa' | 'p256' | 'unknown';

const SECP256K1_KEY = /^0x04[0-9a-f]{128}$/;
/** The x coordinate of a Stark key. */
const STARK_KEY = /^0x[0-9a-f]{64}$/;
const MAC_ID = /^hmac:[0-9a-f]{16}$/;
const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** How an algorithm's signatures are verified. */
type Scheme = 'ed25519' | EthereumMessage | 'cosmos' | 'mac' | 'starknet' | 'rsa' | 'es256';

const SCHEMES: { readonly [Name in Algorithm]: Scheme } = {
  ed25519: 'ed25519',
  eip191: 'personal-message',
  eip712: 'typed-data',
  'hyperliquid-l1': 'typed-data',
  'hmac-sha256': 'mac',
  'hmac-sha384': 'mac',
  'hmac-sha512': 'mac',
  starknet: 'starknet',
  'rsa-sha256': 'rsa',
  cosmos: 'cosmos',
  es256: 'es256',
};

const KEY_KINDS: { readonly [Name in Scheme]: KeyKind } = {
  ed25519: 'ed25519',
  'personal-message': 'secp256k1',
  'typed-data': 'secp256k1',
  cosmos: 'cosmos',
  mac: 'mac',
  starknet: 'stark',
  rsa: 'rsa',
  es256: 'p256',
};

/** Kind of a public key, by its notation. A Cosmos key may look like an Ed25519 key. */
export function toKeyKind(publicKey: string): KeyKind {
  if (SECP256K1_KEY.test(publicKey)) return 'secp256k1';
  if (MAC_ID.test(publicKey)) return 'mac';
  if (STARK_KEY.test(publicKey)) return 'stark';
  if (P256_KEY.test(publicKey)) return 'p256';
  if (readRsaPublicKey(publicKey) !== null) return 'rsa';
  if (BASE58_KEY.test(publicKey) && readPublicKey(publicKey) !== null) return 'ed25519';
  return isCosmosKey(publicKey) ? 'cosmos' : 'unknown';
}

function isKeyOfKind(publicKey: string, kind: KeyKind): boolean {
  return kind === 'cosmos' ? isCosmosKey(publicKey) : toKeyKind(publicKey) === kind;
}

/** Null for an algorithm of a later service. */
function getScheme(algorithm: string): Scheme | null {
  return Object.hasOwn(SCHEMES, algorithm) ? SCHEMES[algorithm as Algorithm] : null;
}

/** Decodes a payload; null if malformed. */
export function decodePayload({ payload, payloadEncoding }: SignedPayload): Buffer | null {
  if (payload === undefined) return null;
  if (payloadEncoding === undefined) return Buffer.from(payload, 'utf8');
  if (payloadEncoding !== 'hex' && payloadEncoding !== 'base64') return null;
  const bytes = Buffer.from(payload, payloadEncoding);
  return bytes.toString(payloadEncoding) === payload ? bytes : null;
}

const ED25519_SIGNATURE_BYTES = 64;
const ES256_SIGNATURE_BYTES = 64;

/** The verified fields of a result. */
export interface ReceivedSignature extends SignedPayload {
  readonly signature: string;
  readonly algorithm: string;
  /** Absent in batches. */
  readonly encoding?: string;
  /** Absent in results of batches. */
  readonly publicKey?: string;
}

/** What a signature must cover. */
export interface ExpectedSignature extends AccountName {
  /** The expected payload; null if unspecified. */
  readonly expected: Buffer | null;
}

/** Options that concern signatures. */
export type CheckOptions = Pick<
  SigningClientOptions,
  'verifySignatures' | 'pinnedKeys' | 'pinnedKeysOnly' | 'expectedPayloads'
>;

/** Verifies keys and signatures of the service. */
export class SignatureCheck {
  readonly #mode: 'never' | 'where-possible' | 'always';
  readonly #pinnedKeys: ReadonlyMap<string, string>;
  readonly #arePinsRequired: boolean;
  readonly #expectedPayloads: ReadonlyMap<string, ExpectedPayload>;

  /** Throws a TypeError for an invalid option. */
  constructor({ verifySignatures, pinnedKeys = {}, pinnedKeysOnly = false, expectedPayloads = {} }: CheckOptions) {
    const hasPins = Object.keys(pinnedKeys).length > 0;
    this.#mode = verifySignatures ?? (hasPins ? 'where-possible' : 'never');
    this.#pinnedKeys = new Map(Object.entries(pinnedKeys));
    this.#arePinsRequired = pinnedKeysOnly;
    this.#expectedPayloads = new Map(Object.entries(expectedPayloads));
    for (const [name, key] of this.#pinnedKeys) checkPin(name, key);
    for (const [platformId, rule] of this.#expectedPayloads) checkRule(platformId, rule);
    if (this.#mode === 'never' && this.#expectedPayloads.size > 0) {
      throw new TypeError('expectedPayloads requires verification of signatures, but verifySignatures is never.');
    }
  }

  /** Whether responses must include the payload. */
  get needsPayload(): boolean {
    return this.#mode !== 'never';
  }

  /** Captures the request now: the caller may change its data during the call. */
  expect({ platformId, accountId, data, rule: ruleName }: SignRequest): ExpectedSignature {
    const rule = this.#expectedPayloads.get(ruleName === undefined ? platformId : `${platformId}/${ruleName}`);
    return { platformId, accountId, expected: rule === undefined ? null : applyRule(rule, data) };
  }

  /** Throws a VerificationError if another key is pinned for the account. */
  checkKey({ platformId, accountId }: AccountName, receivedKey: string, requestId: string): void {
    const pinnedKey = this.#pinnedKeys.get(`${platformId}/${accountId}`);
    if (pinnedKey === undefined || pinnedKey === receivedKey) return;
    const message = `the account's key is ${receivedKey}, but ${pinnedKey} is pinned.`;
    throw new VerificationError(
      { reason: 'KEY_CHANGED', platformId, accountId, message, pinnedKey, receivedKey },
      requestId,
    );
  }

  /**
   * Returns whether the signature was verified; throws a VerificationError if it must not be used.
   */
  async check(
    { platformId, accountId, expected }: ExpectedSignature,
    received: ReceivedSignature,
    requestId: string,
  ): Promise<boolean> {
    const pinnedKey = this.#pinnedKeys.get(`${platformId}/${accountId}`);
    const reject = (issue: Pick<VerificationIssue, 'reason' | 'message' | 'cause'>): never => {
      const keys = {
        ...(pinnedKey !== undefined && { pinnedKey }),
        ...(received.publicKey !== undefined && { receivedKey: received.publicKey }),
      };
      throw new VerificationError({ ...issue, platformId, accountId, ...keys }, requestId);
    };

    if (received.publicKey !== undefined) this.checkKey({ platformId, accountId }, received.publicKey, requestId);
    if (pinnedKey === undefined && this.#arePinsRequired) {
      return reject({ reason: 'KEY_NOT_PINNED', message: 'no key is pinned for the account.' });
    }
    const publicKey = pinnedKey ?? received.publicKey;
    const scheme = getScheme(received.algorithm);
    const kind = scheme === null ? 'unknown' : KEY_KINDS[scheme];
    // Otherwise an attacker could claim HMAC, which is not verifiable, for a pinned Ed25519 key.
    if (pinnedKey !== undefined && !isKeyOfKind(pinnedKey, kind)) {
      return reject({ reason: 'WRONG_ALGORITHM', message: `the pinned key is not a key of ${received.algorithm}.` });
    }
    if (this.#mode === 'never') return false;

    const payload = decodePayload(received);
    if (payload === null) return reject({ reason: 'WRONG_PAYLOAD', message: 'the payload cannot be decoded.' });
    if (expected !== null && !expected.equals(payload)) {
      return reject({ reason: 'WRONG_PAYLOAD', message: 'the signed payload differs from the expected payload.' });
    }
    // No package that the client may load verifies Stark signatures.
    if (publicKey === undefined || scheme === 'mac' || scheme === 'starknet' || scheme === null) {
      if (this.#mode === 'where-possible') return false;
      const reason =
        publicKey === undefined
          ? 'a batch has no public keys, and none is pinned'
          : `its algorithm is ${received.algorithm}`;
      return reject({ reason: 'NOT_VERIFIABLE', message: `the client cannot verify the signature: ${reason}.` });
    }
    const isValid = await isSignature(received, scheme, publicKey, payload).catch((cause: unknown) =>
      reject({ reason: 'NOT_VERIFIABLE', message: 'ethers, which verifies this algorithm, cannot be loaded.', cause }),
    );
    return (
      isValid ||
      reject({ reason: 'WRONG_SIGNATURE', message: "the signature is not the key's signature over the payload." })
    );
  }
}

async function isSignature(
  received: ReceivedSignature,
  scheme: 'ed25519' | 'cosmos' | EthereumMessage | 'rsa' | 'es256',
  publicKey: string,
  payload: Buffer,
): Promise<boolean> {
  if (scheme === 'ed25519') {
    const key = readPublicKey(publicKey);
    const signatures = candidates(received, ED25519_SIGNATURE_BYTES);
    return key !== null && signatures.some((bytes) => isEd25519Signature(key, payload, bytes));
  }
  if (scheme === 'rsa') {
    const key = readRsaPublicKey(publicKey);
    return key !== null && candidates(received, key.bytes).some((bytes) => isRsaSignature(key, payload, bytes));
  }
  if (scheme === 'cosmos') {
    return candidates(received, COSMOS_SIGNATURE_BYTES).some((bytes) => isCosmosSignature(publicKey, payload, bytes));
  }
  if (scheme === 'es256') {
    const signatures = candidates(received, ES256_SIGNATURE_BYTES);
    return signatures.some((bytes) => isEs256Signature(publicKey, payload, bytes));
  }
  for (const bytes of candidates(received, ETHEREUM_SIGNATURE_BYTES)) {
    if (await isEthereumSignature(scheme, publicKey, payload, bytes)) return true;
  }
  return false;
}

function candidates(received: ReceivedSignature, length: number): readonly Buffer[] {
  const { signature, encoding } = received;
  const inToken = getTokenSignature(received);
  if (inToken !== null) {
    const bytes = decodeText(inToken, 'base64url');
    return bytes?.length === length ? [bytes] : [];
  }
  if (encoding === undefined) return decodeAnyEncoding(signature, length);
  const bytes = decodeText(signature, encoding);
  return bytes?.length === length ? [bytes] : [];
}

/**
 * The signature of a token (RFC 7515 §7.1) over the payload; null for another text. Batches name no
 * encoding, and no other encoding has a dot.
 */
function getTokenSignature({ signature, encoding, payload }: ReceivedSignature): string | null {
  if (encoding !== undefined && encoding !== 'jws-compact') return null;
  return signature.startsWith(`${payload}.`) ? signature.slice(`${payload}.`.length) : null;
}

function checkPin(name: string, key: string): void {
  if (!name.includes('/')) throw new TypeError(`pinnedKeys.${name} must be named platformId/accountId.`);
  const kind = toKeyKind(key);
  if (kind !== 'unknown' && (kind !== 'ed25519' || readPublicKey(key) !== null)) return;
  throw new TypeError(`pinnedKeys['${name}'] is not a public key in the form of the service.`);
}

function checkRule(platformId: string, rule: ExpectedPayload): void {
  if (typeof rule === 'function' || RULE_NAMES.includes(rule)) return;
  throw new TypeError(`expectedPayloads['${platformId}'] must be ${RULE_NAMES.join(', ')} or a function.`);
}
