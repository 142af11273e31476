import type { AccountIds } from './account.ts';
import { ANONYMOUS } from './authentication.ts';
import type { JsonValue } from './json.ts';
import type { Operation } from './permissions.ts';
import type { PolicyEffect } from './policy.ts';

/** The specification's six error codes, and five that they don't cover. */
export const REFUSAL_CODES = [
  'ACCOUNT_NOT_FOUND',
  'PLATFORM_NOT_SUPPORTED',
  'INVALID_DATA_FORMAT',
  'SIGNATURE_FAILED',
  'CONFIG_LOAD_FAILED',
  'ACCOUNT_INACTIVE',
  'FORBIDDEN',
  'POLICY_DENIED',
  'BUDGET_EXCEEDED',
  'BUDGET_UNAVAILABLE',
  'RATE_LIMITED',
] as const;

/** See {@link REFUSAL_CODES}. */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/**
 * An expected failure: stable code, message and context, without key bytes or the caller's data.
 */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly details: { readonly [name: string]: JsonValue };
  /** For the service log only. */
  readonly cause?: unknown;
}

/** 404: the platform has no such account. */
export function accountNotFound(platformId: string, accountId: string): Refusal {
  return {
    code: 'ACCOUNT_NOT_FOUND',
    message: 'No account with this accountId exists on this platform.',
    details: { platformId, accountId },
  };
}

/** 400: no such platform. */
export function platformNotSupported(platformId: string): Refusal {
  return {
    code: 'PLATFORM_NOT_SUPPORTED',
    message: 'No platform with this platformId is configured.',
    details: { platformId },
  };
}

/** 423: the account is disabled. */
export function accountInactive(platformId: string, accountId: string): Refusal {
  return {
    code: 'ACCOUNT_INACTIVE',
    message: 'This account is disabled.',
    details: { platformId, accountId },
  };
}

/** 423: the platform is disabled, and with it all its accounts. */
export function platformInactive(platformId: string, accountId: string): Refusal {
  return {
    code: 'ACCOUNT_INACTIVE',
    message: 'The platform of this account is disabled.',
    details: { platformId, accountId, reason: 'PLATFORM_DISABLED' },
  };
}

/** `data` cannot be signed; `issues` name each field. */
export function invalidDataFormat(issues: readonly Issue[]): Refusal {
  return {
    code: 'INVALID_DATA_FORMAT',
    message: 'The request is invalid; details.issues lists the invalid fields and what is expected.',
    details: { issues: issues.map(({ path, message }) => ({ path, message })) },
  };
}

/** 400: the platform has no rule of this name; `names` are the rules it has. */
export function ruleNotFound(names: readonly string[]): Refusal {
  const message =
    names.length === 0
      ? 'must be absent: this platform has no named rules'
      : `must be absent or one of the rules of this platform: ${names.join(', ')}`;
  return invalidDataFormat([{ path: 'rule', message }]);
}

/**
 * Permission denied for a service operation, or for an operation on an account or, without one, on
 * any.
 * @param principal null for an unauthenticated caller, here and below
 */
export function permissionDenied(operation: Operation, principal: string | null, account?: AccountIds): Refusal {
  const ids = account && { platformId: account.platformId, accountId: account.accountId };
  return denied({ ...ids, operation }, principal);
}

/** Account and caller of a refused request. */
export interface RefusedAccess {
  readonly platformId: string;
  readonly accountId: string;
  /** Null for an unauthenticated caller. */
  readonly principal: string | null;
}

/** Includes the caller's name, so that callers see as whom they were authenticated. */
function toAccessDetails({ platformId, accountId, principal }: RefusedAccess) {
  return { platformId, accountId, principal: principal ?? ANONYMOUS };
}

/**
 * The platform does not let callers verify message authentication codes: that would be an oracle.
 */
export function verificationForbidden(access: RefusedAccess): Refusal {
  return {
    code: 'FORBIDDEN',
    message:
      'This platform does not allow callers to verify HMAC signatures. The operator can allow it with verify.mac.',
    details: { ...toAccessDetails(access), reason: 'VERIFICATION_FORBIDDEN' },
  };
}

/** Policies named in a refusal; an account rarely has more. */
const MAX_LISTED_POLICIES = 20;

/**
 * 403: the account's policies do not let it sign this.
 * @param policies the matching `deny`, or every `allow` of which none matches
 */
export function policyDenied(access: RefusedAccess, effect: PolicyEffect, policies: readonly string[]): Refusal {
  const message =
    effect === 'deny'
      ? 'A policy denies this request; details.policies names it.'
      : 'No policy of this account allows this request; details.policies lists the policies that could.';
  const reason = effect === 'deny' ? 'DENIED_BY_POLICY' : 'NOT_ALLOWED_BY_POLICY';
  return {
    code: 'POLICY_DENIED',
    message,
    details: { ...toAccessDetails(access), reason, policies: policies.slice(0, MAX_LISTED_POLICIES) },
  };
}

/** `OVER_BUDGET`: it does not fit; `AMOUNT_UNDECIDED`: its amount cannot be determined. */
export const BUDGET_REASONS = ['OVER_BUDGET', 'AMOUNT_UNDECIDED'] as const;

/**
 * 403: the request exceeds the account's remaining budget.
 * @param budgets names of the budgets that deny it
 */
export function budgetExceeded(
  access: RefusedAccess,
  reason: (typeof BUDGET_REASONS)[number],
  budgets: readonly string[],
): Refusal {
  const message =
    reason === 'OVER_BUDGET'
      ? "This request exceeds the account's remaining budget; details.budgets names the budgets."
      : "The amount that this request takes from the account's budget cannot be determined; details.budgets names the budgets.";
  return {
    code: 'BUDGET_EXCEEDED',
    message,
    details: { ...toAccessDetails(access), reason, budgets: budgets.slice(0, MAX_LISTED_POLICIES) },
  };
}

/** 503: the account's budgets cannot be charged; the service log has the reason. */
export function budgetUnavailable(platformId: string, accountId: string): Refusal {
  return {
    code: 'BUDGET_UNAVAILABLE',
    message: "The account's budgets cannot be charged at the moment, so nothing was signed.",
    details: { platformId, accountId },
  };
}

/** The account's rate limit is used up. */
export function accountRateLimited(
  platformId: string,
  accountId: string,
  { points, windowSeconds }: RateBudget,
  retryAfterMs: number,
): Refusal {
  return {
    code: 'RATE_LIMITED',
    message: `Account rate limit exceeded: ${points} signatures in ${windowSeconds} s. Retry the same request after details.retryAfterMs.`,
    details: { platformId, accountId, retryAfterMs, limit: points, windowSeconds, scope: 'account' },
  };
}

/** The key could not be opened, or the signature could not be made or verified. */
export function signatureFailed(platformId: string, accountId: string, cause: unknown): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message: 'The signature could not be created or verified.',
    details: { platformId, accountId },
    cause,
  };
}

/** A signature that does not verify is withheld, because a faulty signature can reveal its key. */
export function signatureFaulty(platformId: string, accountId: string): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message:
      'The new signature does not verify, so it was not released. Check the memory and processor of the machine for faults.',
    details: { platformId, accountId, reason: 'SIGNATURE_FAULTY' },
  };
}

/**
 * A result was withheld because its audit record could not be made durable; the service log has the
 * reason.
 */
export function auditUnavailable(): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message: 'The audit record could not be written, so nothing was released.',
    details: { reason: 'AUDIT_UNAVAILABLE' },
  };
}

/** The configuration could not be loaded; the previous one stays in force. */
export function configLoadFailed(location: string, issues: readonly Issue[], cause?: unknown): Refusal {
  return {
    code: 'CONFIG_LOAD_FAILED',
    message: 'The credentials file could not be loaded; nothing was changed.',
    details: { path: location, issues: issues.map(({ path, message }) => ({ path, message })) },
    cause,
  };
}

function denied(details: Refusal['details'], principal: string | null): Refusal {
  return {
    code: 'FORBIDDEN',
    message: 'Permission denied: no permission entry allows this operation for the caller.',
    details: { ...details, principal: principal ?? ANONYMOUS, reason: 'PERMISSION_DENIED' },
  };
}

/** One thing that is wrong with input of a caller or operator. */
export interface Issue {
  /** Path: `data.instruction.price`, `requests[3].requestId`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong and what would be right. Never the offending value itself. */
  readonly message: string;
}

/** The first issue of each path. */
export function dedupeByPath(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ path }, index) => issues.findIndex((other) => other.path === path) === index);
}

/** A sentence for operators: `path: message; path: message.` */
export function formatIssues(issues: readonly Issue[]): string {
  const clauses = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  // Some messages are sentences.
  return `${clauses.map((clause) => clause.replace(/\.$/, '')).join('; ')}.`;
}

/** Token bucket: capacity `points`, refilled evenly within the window. */
export interface RateBudget {
  /** Integer, at least 1. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** Whether replicas share a budget. */
export type RateSharing =
  | { readonly mode: 'alone' }
  | {
      readonly mode: 'shared';
      /** `apart`: each replica counts for itself for now. */
      readonly state: 'current' | 'apart';
      /** ISO 8601 UTC; null while current. */
      readonly since: string | null;
      /** For operators, without secrets; null while current. */
      readonly reason: string | null;
    };

/** Clause about a `platformId` that is not configured. */
export const UNKNOWN_PLATFORM = 'is not a configured platform; add it first with `signing-service platform add`';
