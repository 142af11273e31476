import { ALGORITHM_SCHEMES } from './algorithms.ts';
import { canonicalJson } from './canonical-json.ts';
import { decodeAnyEncoding, decodeText } from './encodings.ts';
import { VerificationError, type VerificationIssue } from './errors.ts';
import type { ExpectedPayload, SigningClientOptions } from './options.ts';
import { SCHEMES, type SignatureScheme } from './signature-schemes.ts';
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

/** Decodes a payload; null if malformed. */
export function decodePayload({ payload, payloadEncoding }: SignedPayload): Buffer | null {
  if (payload === undefined) return null;
  if (payloadEncoding === undefined) return Buffer.from(payload, 'utf8');
  if (payloadEncoding !== 'hex' && payloadEncoding !== 'base64') return null;
  const bytes = Buffer.from(payload, payloadEncoding);
  return bytes.toString(payloadEncoding) === payload ? bytes : null;
}

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
    // Otherwise an attacker could claim HMAC, which is not verifiable, for a pinned Ed25519 key.
    if (pinnedKey !== undefined && !scheme?.isKey(pinnedKey)) {
      return reject({ reason: 'WRONG_ALGORITHM', message: `the pinned key is not a key of ${received.algorithm}.` });
    }
    if (this.#mode === 'never') return false;

    const payload = decodePayload(received);
    if (payload === null) return reject({ reason: 'WRONG_PAYLOAD', message: 'the payload cannot be decoded.' });
    if (expected !== null && !expected.equals(payload)) {
      return reject({ reason: 'WRONG_PAYLOAD', message: 'the signed payload differs from the expected payload.' });
    }
    if (publicKey === undefined || scheme?.verify === undefined) {
      if (this.#mode === 'where-possible') return false;
      const reason =
        publicKey === undefined
          ? 'a batch has no public keys, and none is pinned'
          : `its algorithm is ${received.algorithm}`;
      return reject({ reason: 'NOT_VERIFIABLE', message: `the client cannot verify the signature: ${reason}.` });
    }
    const decode = (length: number) => candidates(received, length);
    const isValid = await scheme.verify(publicKey, payload, decode).catch((cause: unknown) =>
      reject({
        reason: 'NOT_VERIFIABLE',
        message: 'ethers, which verifies this algorithm, cannot be loaded.',
        cause,
      }),
    );
    return (
      isValid ||
      reject({ reason: 'WRONG_SIGNATURE', message: "the signature is not the key's signature over the payload." })
    );
  }
}

/** Undefined for an algorithm of a later service. */
function getScheme(algorithm: string): SignatureScheme | undefined {
  return Object.hasOwn(ALGORITHM_SCHEMES, algorithm) ? SCHEMES[ALGORITHM_SCHEMES[algorithm as Algorithm]] : undefined;
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
  if (Object.values(SCHEMES).some((scheme) => scheme.isKey(key))) return;
  throw new TypeError(`pinnedKeys['${name}'] is not a public key in the form of the service.`);
}

function checkRule(platformId: string, rule: ExpectedPayload): void {
  if (typeof rule === 'function' || RULE_NAMES.includes(rule)) return;
  throw new TypeError(`expectedPayloads['${platformId}'] must be ${RULE_NAMES.join(', ')} or a function.`);
}
