import type { KeyStore } from '../../ports/key-store.ts';
import type { Signer } from '../../ports/signer.ts';
import type { Account, AccountProfile, KeyHandle } from '../model/account.ts';
import { isMacAlgorithm, type SignatureEncoding } from '../model/algorithm.ts';
import type { JsonObject } from '../model/json.ts';
import { type Outcome, type Refused, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import { findRule, findSend, type NamedRule, type Platform } from '../model/platform.ts';
import type { PolicyDecision } from '../model/policy.ts';
import {
  accountInactive,
  accountNotFound,
  type Issue,
  invalidDataFormat,
  platformInactive,
  platformNotSupported,
  policyDenied,
  type Refusal,
  ruleNotFound,
  signatureFailed,
  verificationForbidden,
} from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { WrittenRequest } from '../model/send.ts';
import type { SignRequest } from '../model/sign-request.ts';
import { buildPayload } from '../payload/build-payload.ts';
import { findFormatIssues } from '../payload/data-formats.ts';
import { invalid, type PayloadTools, toOutcome } from '../payload/payload-outcome.ts';
import { writeRequest } from '../payload/write-request.ts';

/** A usable account, and the rule of the request. */
export interface Found {
  readonly platform: Platform;
  readonly account: Account;
  readonly rule: NamedRule;
  readonly outcome: null;
}

/** A refused request, and how far the checks came. */
export interface NotFound {
  readonly platform?: Platform;
  readonly account?: Account;
  readonly outcome: Refused;
}

/** Verification key: public key, or the secret of a MAC. */
export interface CheckedKey {
  readonly publicKey: string;
  readonly key: KeyHandle;
}

const NO_VALUES = {};

/**
 * Finds the account and checks platform, account, permission, status and rule, in this order. The
 * public key of a disabled account, or of an account of a disabled platform, still verifies.
 *
 * Verifying a message authentication code means making it, and repeated checks could reveal one:
 * only where the platform's configuration allows it, and while platform and account are
 * active.
 */
export function findAccount(
  registry: Registry,
  operation: 'sign' | 'verify',
  { platformId, accountId, rule: ruleName }: SignRequest,
  principal: string | null,
): Found | NotFound {
  const platform = registry.platform(platformId);
  if (platform === undefined) return { outcome: refused(platformNotSupported(platformId)) };

  const account = registry.account(platformId, accountId);
  if (account === undefined) return { platform, outcome: refused(accountNotFound(platformId, accountId)) };

  const denial = registry.permissions.refuse(principal, operation, account);
  if (denial !== null) return { platform, account, outcome: refused(denial) };

  const makesMac = operation === 'verify' && isMacAlgorithm(account.algorithm);
  if (makesMac && platform.verify?.mac !== true) {
    return { platform, account, outcome: refused(verificationForbidden({ platformId, accountId, principal })) };
  }

  if (operation === 'sign' || makesMac) {
    if (platform.status === 'disabled') {
      return { platform, account, outcome: refused(platformInactive(platformId, accountId)) };
    }
    if (account.status !== 'active') {
      return { platform, account, outcome: refused(accountInactive(platformId, accountId)) };
    }
  }

  const rule = findRule(platform, ruleName);
  if (rule === undefined) {
    return { platform, account, outcome: refused(ruleNotFound(Object.keys(platform.rules ?? {}))) };
  }

  return { platform, account, rule, outcome: null };
}

/**
 * The bytes that an account signs for the data of a request, or INVALID_DATA_FORMAT naming what
 * does not fit the rule, or the platform's format, which holds for its default rule alone, or why
 * the wanted request cannot be written. SIGNATURE_FAILED if a rule throws: this is recorded as well
 * and must not fail the rest of a batch.
 */
export function makePayload(
  { platform, account, rule }: Pick<Found, 'platform' | 'account' | 'rule'>,
  request: SignRequest,
  tools: PayloadTools,
): Outcome<Payload> {
  try {
    const built = tryToMakePayload(platform, account, request.data, tools, rule);
    if (!built.ok) return refused(invalidDataFormat(built.refusal));
    if (!request.wantsRequest) return built;
    const written = toOutcome(() => includeRequest({ platform, account, rule }, request, built.value, null));
    return written.ok ? built : refused(invalidDataFormat([written.refusal]));
  } catch (error) {
    return refused(signatureFailed(account.platformId, account.accountId, error));
  }
}

/**
 * As {@link makePayload}, but with the issues alone.
 * @throws Error if a rule throws
 */
export function tryToMakePayload(
  platform: Platform,
  { values = NO_VALUES, algorithm }: Pick<AccountProfile, 'values' | 'algorithm'>,
  data: JsonObject,
  { hasher, starknet }: PayloadTools,
  rule: NamedRule = platform.payload,
): Outcome<Payload, readonly Issue[]> {
  const issues = rule === platform.payload ? findFormatIssues(platform.format, data) : [];
  if (issues.length > 0) return refused(issues);
  const built = buildPayload(data, rule, {
    ...{ hasher, starknet, values },
    algorithm: rule.algorithm ?? algorithm,
  });
  return built.ok ? built : refused([built.refusal]);
}

/**
 * The request as its venue takes it, if the caller wants it, as a member to spread. Ends with an
 * issue as `writeRequest` does, whatever the signature.
 * @param signature as released; null before it is made, and in a dry run
 */
export function includeRequest(
  { platform, account, rule }: Pick<Found, 'platform' | 'account' | 'rule'>,
  { data, wantsRequest, rule: ruleName }: SignRequest,
  payload: Payload,
  signature: string | null,
): { readonly request?: WrittenRequest } {
  if (!wantsRequest) return {};
  const send = findSend(platform, rule);
  if (send === undefined) {
    const of = ruleName === undefined ? '' : `, rule ${ruleName}`;
    return invalid(
      'include',
      `must not have request: platform ${platform.platformId}${of} has no send (query parameter)`,
    );
  }
  const { values = NO_VALUES } = account;
  return { request: writeRequest(send, { rule, data, payload, values, signature }) };
}

/** The refusal of a request that policies do not allow. */
export function toPolicyRefusal(
  { platformId, accountId }: Account,
  { effect, policies }: PolicyDecision,
  principal: string | null,
): Refusal {
  return policyDenied({ platformId, accountId, principal }, effect ?? 'deny', policies);
}

/**
 * Whether `signature` is this key's over `message`. False for malformed input.
 * @throws KeyUnavailableError if the secret is needed and cannot be opened
 */
export function isSignatureOf(
  keyStore: KeyStore,
  signer: Signer,
  { publicKey, key }: CheckedKey,
  message: Uint8Array,
  signature: string,
  encoding: SignatureEncoding,
): boolean {
  if (signer.kind === 'public-key') return signer.verify(publicKey, message, signature, encoding);
  return keyStore.use(key, (secret) => signer.verifyWithSecret(secret, message, signature, encoding));
}
