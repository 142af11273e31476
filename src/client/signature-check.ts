import type { AccountName } from './account-types.ts';
import { decodeText, readingsOf } from './byte-text.ts';
import type { ExpectedPayload, SigningClientOptions } from './client-options.ts';
import { isEd25519Signature, readPublicKey } from './ed25519-keys.ts';
import { ETHEREUM_SIGNATURE_BYTES, isEthereumSignature } from './ethereum-signature.ts';
import { expectedBytes, NAMED_RULES } from './expected-payload.ts';
import { kindOfAlgorithm, kindOfKey } from './key-kind.ts';
import { signedBytes } from './signed-bytes.ts';
import type { SignedPayload, SignRequest } from './signing-types.ts';
import { VerificationError, type VerificationFault } from './verification-error.ts';

const ED25519_SIGNATURE_BYTES = 64;

/** What of an answer is checked. */
export interface CheckedSignature extends SignedPayload {
  readonly signature: string;
  readonly algorithm: string;
  /** Absent in results of batches. */
  readonly encoding?: string;
  /** Absent in results of batches. */
  readonly publicKey?: string;
}

/** What was asked for. */
export interface CheckedRequest extends AccountName {
  /** What the payload has to be; null where nothing says so. */
  readonly expected: Buffer | null;
}

/** What a client asks of signatures. */
export type CheckOptions = Pick<
  SigningClientOptions,
  'verifySignatures' | 'pinnedKeys' | 'pinnedKeysOnly' | 'expectedPayloads'
>;

/** Checks keys and signatures that come from the service, as far as the client was told to. */
export class SignatureCheck {
  readonly #mode: 'never' | 'where-possible' | 'always';
  readonly #pinnedKeys: ReadonlyMap<string, string>;
  readonly #isPinnedOnly: boolean;
  readonly #expectedPayloads: ReadonlyMap<string, ExpectedPayload>;

  /** A TypeError says which option makes no sense. */
  constructor({ verifySignatures, pinnedKeys = {}, pinnedKeysOnly = false, expectedPayloads = {} }: CheckOptions) {
    const hasPins = Object.keys(pinnedKeys).length > 0;
    this.#mode = verifySignatures ?? (hasPins ? 'where-possible' : 'never');
    this.#pinnedKeys = new Map(Object.entries(pinnedKeys));
    this.#isPinnedOnly = pinnedKeysOnly;
    this.#expectedPayloads = new Map(Object.entries(expectedPayloads));
    for (const [name, key] of this.#pinnedKeys) checkPin(name, key);
    for (const [platformId, rule] of this.#expectedPayloads) checkRule(platformId, rule);
    if (this.#mode === 'never' && this.#expectedPayloads.size > 0) {
      throw new TypeError(
        'expectedPayloads are looked at where signatures are verified, and verifySignatures is never.',
      );
    }
  }

  /** Whether answers have to hold what was signed. */
  get needsPayload(): boolean {
    return this.#mode !== 'never';
  }

  /** What is asked for, as it is now: a caller may change its data while the answer is on its way. */
  begin({ platformId, accountId, data }: SignRequest): CheckedRequest {
    const rule = this.#expectedPayloads.get(platformId);
    return { platformId, accountId, expected: rule === undefined ? null : expectedBytes(rule, data) };
  }

  /** Throws a VerificationError where another key is pinned for the account. */
  checkKey({ platformId, accountId }: AccountName, receivedKey: string, requestId: string): void {
    const pinnedKey = this.#pinnedKeys.get(`${platformId}/${accountId}`);
    if (pinnedKey === undefined || pinnedKey === receivedKey) return;
    const message = `the account's key is ${receivedKey}, and ${pinnedKey} is pinned.`;
    throw new VerificationError(
      { reason: 'KEY_CHANGED', platformId, accountId, message, pinnedKey, receivedKey },
      requestId,
    );
  }

  /** Whether the signature was verified, as `verifySignatures` has it; throws a VerificationError where it is not to be used. */
  async check(
    { platformId, accountId, expected }: CheckedRequest,
    signed: CheckedSignature,
    requestId: string,
  ): Promise<boolean> {
    const pinnedKey = this.#pinnedKeys.get(`${platformId}/${accountId}`);
    const refuse = (fault: Pick<VerificationFault, 'reason' | 'message' | 'cause'>): never => {
      const keys = {
        ...(pinnedKey !== undefined && { pinnedKey }),
        ...(signed.publicKey !== undefined && { receivedKey: signed.publicKey }),
      };
      throw new VerificationError({ ...fault, platformId, accountId, ...keys }, requestId);
    };

    if (signed.publicKey !== undefined) this.checkKey({ platformId, accountId }, signed.publicKey, requestId);
    if (pinnedKey === undefined && this.#isPinnedOnly) {
      return refuse({ reason: 'KEY_NOT_PINNED', message: 'no key is pinned for the account.' });
    }
    const publicKey = pinnedKey ?? signed.publicKey;
    const kind = kindOfAlgorithm(signed.algorithm);
    // Else whoever answers could name HMAC, which nobody here can check, for the pinned key of another algorithm.
    if (pinnedKey !== undefined && kindOfKey(pinnedKey) !== kind) {
      return refuse({ reason: 'WRONG_ALGORITHM', message: `the pinned key is none of ${signed.algorithm}.` });
    }
    if (this.#mode === 'never') return false;

    const payload = signedBytes(signed);
    if (payload === null) return refuse({ reason: 'WRONG_PAYLOAD', message: 'the payload can not be read.' });
    if (expected !== null && !expected.equals(payload)) {
      return refuse({ reason: 'WRONG_PAYLOAD', message: 'what was signed is not what the data gives by its rule.' });
    }
    if (publicKey === undefined || kind === 'mac' || kind === 'unknown') {
      if (this.#mode === 'where-possible') return false;
      const why = publicKey === undefined ? 'a batch names no key, and none is pinned' : `it is ${signed.algorithm}`;
      return refuse({ reason: 'NOT_VERIFIABLE', message: `the signature can't be verified here: ${why}.` });
    }
    const isRight = await isSignature(signed, publicKey, payload).catch((cause: unknown) =>
      refuse({ reason: 'NOT_VERIFIABLE', message: 'ethers, which verifies this algorithm, can not be loaded.', cause }),
    );
    return (
      isRight || refuse({ reason: 'WRONG_SIGNATURE', message: "the signature is not the key's over the payload." })
    );
  }
}

async function isSignature(signed: CheckedSignature, publicKey: string, payload: Buffer): Promise<boolean> {
  const isEd25519 = signed.algorithm === 'ed25519';
  const length = isEd25519 ? ED25519_SIGNATURE_BYTES : ETHEREUM_SIGNATURE_BYTES;
  for (const bytes of candidates(signed, length)) {
    const key = isEd25519 ? readPublicKey(publicKey) : null;
    const isRight = isEd25519
      ? key !== null && isEd25519Signature(key, payload, bytes)
      : await isEthereumSignature(signed.algorithm, publicKey, payload, bytes);
    if (isRight) return true;
  }
  return false;
}

function candidates({ signature, encoding }: CheckedSignature, length: number): readonly Buffer[] {
  if (encoding === undefined) return readingsOf(signature, length);
  const bytes = decodeText(signature, encoding);
  return bytes?.length === length ? [bytes] : [];
}

function checkPin(name: string, key: string): void {
  if (!name.includes('/')) throw new TypeError(`pinnedKeys.${name} has to be named platformId/accountId.`);
  const kind = kindOfKey(key);
  if (kind !== 'unknown' && (kind !== 'ed25519' || readPublicKey(key) !== null)) return;
  throw new TypeError(`pinnedKeys['${name}'] is no public key as the service writes them.`);
}

function checkRule(platformId: string, rule: ExpectedPayload): void {
  if (typeof rule === 'function' || NAMED_RULES.includes(rule)) return;
  throw new TypeError(`expectedPayloads['${platformId}'] has to be ${NAMED_RULES.join(', ')} or a function.`);
}
