import type { KeyStore } from '../../ports/key-store.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Signer } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import {
  fromReleasedText,
  isMacAlgorithm,
  type SignatureEncoding,
  toReleasedText,
  toSignerEncoding,
} from '../model/algorithm.ts';
import type { Attempt, CheckedAttempt } from '../model/attempt.ts';
import { ANONYMOUS } from '../model/authentication.ts';
import { findRule, findSend, signatureEncoding } from '../model/platform.ts';
import { NO_POLICY_APPLIES } from '../model/policy.ts';
import { accepted, MAX_LISTED_NAMES, type Outcome, type Refusal, refuse, refused } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { WrittenRequest } from '../model/send.ts';
import type { DryRunResult, SignedResult, VerifiedResult } from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { tryToMakePayload } from '../payload/build-payload.ts';
import { invalid, toOutcome } from '../payload/payload-outcome.ts';
import { writeRequest } from '../payload/write-request.ts';
import { priceAttempt } from './account-limits.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { RetiredKeys } from './retired-keys.ts';

/** What the steps work with. */
export type StepTools = Pick<Ports, 'keyStore' | 'signers' | 'hasher' | 'starknet' | 'clock'> & {
  readonly retiredKeys: RetiredKeys;
  readonly audit: AuditEntryService;
  /**
   * Whether to verify each public-key signature before its release. A hardware fault can make a
   * signature that reveals its key; a faulty HMAC reveals nothing.
   */
  readonly verifiesSignatures: boolean;
};

/**
 * Finds a part of the attempt, or refuses it. It reads only parts that earlier steps of its
 * checklist have found. What it throws ends the attempt with SIGNATURE_FAILED.
 */
export type Step = (attempt: CheckedAttempt, registry: Registry, tools: StepTools) => Refusal | null;

/** Finds the account that a request may use, and its rule. */
export const FIND_ACCOUNT: readonly Step[] = [
  findPlatform, // 1. The platform is configured: 400 PLATFORM_NOT_SUPPORTED.
  findAccount, // 2. It has the account: 404 ACCOUNT_NOT_FOUND.
  checkPermission, // 3. The caller may sign with it, or verify: 403 FORBIDDEN.
  checkStatus, // 4. Account and platform are active: 423 ACCOUNT_INACTIVE,
  findNamedRule, // and the platform has the rule that the request names: 400 INVALID_DATA_FORMAT.
];

/**
 * The checks of each operation, in the order of refusals. All run in one event-loop tick with the
 * use of the key, so that no reload comes between.
 */
export const CHECKLISTS: { readonly [Operation in Attempt['operation']]: readonly Step[] } = {
  sign: [
    ...FIND_ACCOUNT,
    checkRate, // 5. The account is within its rate limit: 429 RATE_LIMITED.
    makePayload, // 6. The data can be signed and the request written: 400 INVALID_DATA_FORMAT.
    judge, // 7. The account's policies allow what these bytes say: 403 POLICY_DENIED.
    checkAudit, // 8. Records can be written: 500 SIGNATURE_FAILED.
    priceAttempt, // 9. What it takes of the account's budgets is known: 403 BUDGET_EXCEEDED.
    // 9 to 13, from the charge to the release: see SignRequestService.
  ],
  'dry-run': [...FIND_ACCOUNT, makePayload, noteDenial(judge), checkAudit, noteDenial(priceAttempt)],
  verify: [
    ...[findPlatform, findAccount, checkPermission],
    checkMacVerification, // The platform lets callers verify such signatures: 403 FORBIDDEN.
    ...[findNamedRule, makePayload, checkAudit],
    verifySignature, // Ends with the result.
  ],
};

function findPlatform(attempt: Attempt, registry: Registry): Refusal | null {
  const { platformId } = attempt.request;
  attempt.platform = registry.platform(platformId) ?? null;
  return attempt.platform === null ? refuse('PlatformNotSupported', { platformId }) : null;
}

function findAccount(attempt: Attempt, registry: Registry): Refusal | null {
  const { platformId, accountId } = attempt.request;
  attempt.account = registry.account(platformId, accountId) ?? null;
  return attempt.account === null ? refuse('AccountNotFound', { platformId, accountId }) : null;
}

/** A dry run needs the permission to sign. */
function checkPermission({ operation, request, context }: Attempt, { permissions }: Registry): Refusal | null {
  return permissions.refuse(context.principal, operation === 'verify' ? 'verify' : 'sign', request);
}

function checkStatus({ platform, account }: CheckedAttempt): Refusal | null {
  const { platformId, accountId } = account;
  if (platform.status === 'disabled') return refuse('PlatformInactive', { platformId, accountId });
  return account.status === 'active' ? null : refuse('AccountInactive', { platformId, accountId });
}

/**
 * Verifying a message authentication code means making it, and repeated checks could reveal one:
 * only where the platform's configuration allows it, and while platform and account are active. The
 * public key of a disabled account, or of an account of a disabled platform, still verifies.
 */
function checkMacVerification(attempt: CheckedAttempt): Refusal | null {
  const { platform, account, context } = attempt;
  const { platformId, accountId, algorithm } = account;
  if (!isMacAlgorithm(algorithm)) return null;
  if (platform.verify?.mac === true) return checkStatus(attempt);
  return refuse('VerificationForbidden', { platformId, accountId, principal: context.principal ?? ANONYMOUS });
}

function findNamedRule(attempt: CheckedAttempt): Refusal | null {
  const { platform, request } = attempt;
  const rule = findRule(platform, request.rule);
  if (rule !== undefined) {
    attempt.rule = rule;
    return null;
  }
  const names = Object.keys(platform.rules ?? {});
  const message =
    names.length === 0
      ? 'must be absent: this platform has no named rules'
      : `must be absent or one of the rules of this platform: ${names.join(', ')}`;
  return refuse('InvalidDataFormat', { issues: [{ path: 'rule', message }] });
}

function checkRate({ rateRefusal }: Attempt): Refusal | null {
  return rateRefusal;
}

/**
 * Makes the bytes to sign. INVALID_DATA_FORMAT names what does not fit the rule, or the platform's
 * format, which holds for its default rule alone, or why the wanted request cannot be written.
 */
function makePayload(attempt: CheckedAttempt, _registry: Registry, tools: StepTools): Refusal | null {
  const { platform, account, rule, request } = attempt;
  const built = tryToMakePayload(platform, account, request.data, tools, rule);
  if (!built.ok) return refuse('InvalidDataFormat', { issues: built.refusal });
  if (request.wantsRequest === true) {
    const written = toOutcome(() => includeRequest({ ...attempt, payload: built.value }, null));
    if (!written.ok) return refuse('InvalidDataFormat', { issues: [written.refusal] });
  }
  attempt.payload = built.value;
  return null;
}

function judge(attempt: CheckedAttempt, { policies }: Registry, { clock }: StepTools): Refusal | null {
  const { platform, account, rule, payload, request, context } = attempt;
  const { principal } = context;
  const judged = { platform, account, rule, ruleName: request.rule, payload, principal, now: clock.now() };
  const decision = policies.decide(judged);
  attempt.decision = decision;
  if (decision.isAllowed) return null;
  const { platformId, accountId } = account;
  return refuse('PolicyDenied', {
    ...{ platformId, accountId, principal: principal ?? ANONYMOUS },
    reason: decision.effect === 'allow' ? 'NOT_ALLOWED_BY_POLICY' : 'DENIED_BY_POLICY',
    policies: decision.policies.slice(0, MAX_LISTED_NAMES),
  });
}

/** No key is opened for a result that could not be released. */
function checkAudit(_attempt: Attempt, _registry: Registry, { audit }: StepTools): Refusal | null {
  return audit.available ? null : refuse('AuditUnavailable');
}

/** A dry run notes the first denial and goes on. */
function noteDenial(step: Step): Step {
  return (attempt, registry, tools) => {
    attempt.denial ??= step(attempt, registry, tools);
    return null;
  };
}

/** The only place where keys are opened for callers. */
export function makeSignature(attempt: CheckedAttempt, tools: StepTools): Outcome<SignedResult> {
  const { account, payload } = attempt;
  const { keyStore, signers, clock, verifiesSignatures } = tools;
  const { platformId, accountId, publicKey } = account;
  const { algorithm, form } = getSignatureForm(attempt);
  const encoding = toSignerEncoding(form);
  const signer = signers[algorithm];
  const signature = keyStore.use(account.key, (key) => signer.sign(key, payload.bytes, encoding));
  const signedAt = formatTime(clock.now());
  if (verifiesSignatures && signer.kind === 'public-key') {
    const isValid = signer.verify(publicKey, payload.bytes, signature, encoding);
    if (!isValid) return refused(refuse('SignatureFaulty', { platformId, accountId }));
  }
  const released = toReleasedText(form, signature, payload.text);
  const written = includeRequest(attempt, released);
  attempt.signature = released;
  return accepted({ signature: released, algorithm, encoding: form, publicKey, signedAt, payload, ...written });
}

/** The decision of a dry run. */
export function reportDecision(attempt: CheckedAttempt): Outcome<DryRunResult> {
  const { payload, decision, denial: refusal } = attempt;
  const written = refusal === null ? includeRequest(attempt, null) : {};
  return accepted({ payload, decision: decision ?? NO_POLICY_APPLIES, refusal, ...written });
}

/**
 * Ends with whether the signature is the account's, or that of its previous key and values, while
 * an overlap keeps them.
 */
function verifySignature(attempt: CheckedAttempt, registry: Registry, tools: StepTools): Refusal | null {
  const result = compareSignature(attempt, tools);
  attempt.outcome = accepted(result);
  const retired = result.valid ? undefined : tools.retiredKeys.find(attempt.account);
  if (retired === undefined) return null;
  const earlier = { ...attempt, account: retired };
  try {
    if (makePayload(earlier, registry, tools) !== null) return null;
    const compared = compareSignature(earlier, tools);
    if (compared.valid) Object.assign(attempt, earlier, { outcome: accepted(compared) });
  } catch {
    // A previous key or values that do not fit the rule verify nothing.
  }
  return null;
}

function compareSignature(attempt: CheckedAttempt, { keyStore, signers }: StepTools): VerifiedResult {
  const { account, payload } = attempt;
  const { algorithm, form } = getSignatureForm(attempt);
  const signature = fromReleasedText(form, attempt.signature ?? '', payload.text);
  const encoding = toSignerEncoding(form);
  const valid =
    signature !== undefined && isSignatureOf(keyStore, signers[algorithm], account, payload.bytes, signature, encoding);
  return { valid, payload };
}

function getSignatureForm({ platform, account, rule }: CheckedAttempt) {
  const algorithm = rule.algorithm ?? account.algorithm;
  return { algorithm, form: signatureEncoding(platform, algorithm, rule) };
}

/**
 * The request as its venue takes it, if the caller wants it, as a member to spread. Ends with an
 * issue as `writeRequest` does, whatever the signature.
 * @param signature as released; null before it is made, and in a dry run
 */
function includeRequest(
  { platform, account, rule, payload, request }: CheckedAttempt,
  signature: string | null,
): { readonly request?: WrittenRequest } {
  const { data, wantsRequest, rule: ruleName } = request;
  if (!wantsRequest) return {};
  const send = findSend(platform, rule);
  if (send === undefined) {
    const of = ruleName === undefined ? '' : `, rule ${ruleName}`;
    return invalid(
      'include',
      `must not have request: platform ${platform.platformId}${of} has no send (query parameter)`,
    );
  }
  const { values = {} } = account;
  return { request: writeRequest(send, { rule, data, payload, values, signature }) };
}

/**
 * Whether `signature` is this key's over `message`. False for malformed input.
 * @throws KeyUnavailableError if the secret is needed and cannot be opened
 */
export function isSignatureOf(
  keyStore: KeyStore,
  signer: Signer,
  { publicKey, key }: Pick<Account, 'publicKey' | 'key'>,
  message: Uint8Array,
  signature: string,
  encoding: SignatureEncoding,
): boolean {
  if (signer.kind === 'public-key') return signer.verify(publicKey, message, signature, encoding);
  return keyStore.use(key, (secret) => signer.verifyWithSecret(secret, message, signature, encoding));
}
