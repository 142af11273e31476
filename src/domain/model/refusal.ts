import type { Issue } from './issue.ts';
import type { JsonValue } from './json.ts';
import type { AccountOperation, Operation } from './permission-entry.ts';
import { ANONYMOUS } from './principal.ts';
import type { RateBudget } from './rate-limit.ts';

/** The specification's six error codes, and those for what none of them can name. */
export const REFUSAL_CODES = [
  'ACCOUNT_NOT_FOUND',
  'PLATFORM_NOT_SUPPORTED',
  'INVALID_DATA_FORMAT',
  'SIGNATURE_FAILED',
  'CONFIG_LOAD_FAILED',
  'ACCOUNT_INACTIVE',
  'FORBIDDEN',
  'RATE_LIMITED',
] as const;

/** See {@link REFUSAL_CODES}. */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** An expected "no": a stable code, a sentence for people, and context that never holds key bytes or the caller's data. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly details: { readonly [name: string]: JsonValue };
  /** The error behind it, for the service log alone. */
  readonly cause?: unknown;
}

/** The named account does not exist on that platform. */
export function accountNotFound(platformId: string, accountId: string): Refusal {
  return {
    code: 'ACCOUNT_NOT_FOUND',
    message: 'No account with this accountId exists on this platform.',
    details: { platformId, accountId },
  };
}

/** No platform of that id is configured. */
export function platformNotSupported(platformId: string): Refusal {
  return {
    code: 'PLATFORM_NOT_SUPPORTED',
    message: 'No platform with this platformId is configured.',
    details: { platformId },
  };
}

/** The account exists and is disabled. */
export function accountInactive(platformId: string, accountId: string): Refusal {
  return {
    code: 'ACCOUNT_INACTIVE',
    message: 'This account is disabled.',
    details: { platformId, accountId },
  };
}

/** What was sent can't be signed as it stands; `issues` names each field. */
export function invalidDataFormat(issues: readonly Issue[]): Refusal {
  return {
    code: 'INVALID_DATA_FORMAT',
    message: 'The request is malformed; details.issues names each field and what it should be.',
    details: { issues: issues.map(({ path, message }) => ({ path, message })) },
  };
}

/**
 * The permissions list does not allow the caller an operation: on any account, or with the service
 * as a whole.
 * @param principal null for a caller who is not authenticated, here and below
 */
export function permissionDenied(operation: Operation, principal: string | null): Refusal {
  return deniedWith({ operation }, principal);
}

/** The same for an account. */
export function accountPermissionDenied(
  operation: AccountOperation,
  platformId: string,
  accountId: string,
  principal: string | null,
): Refusal {
  return deniedWith({ platformId, accountId, operation }, principal);
}

/** The platform's configuration does not let message authentication codes be verified: the answer would let callers find them out. */
export function verificationForbidden(platformId: string, accountId: string): Refusal {
  return {
    code: 'FORBIDDEN',
    message:
      "HMAC signatures are verified only where the platform's configuration allows it, with verify.mac: whoever can have them verified can find them out.",
    details: { platformId, accountId, reason: 'VERIFICATION_FORBIDDEN' },
  };
}

/** More signatures of the account were asked for than its budget has. */
export function accountRateLimited(
  platformId: string,
  accountId: string,
  { points, windowSeconds }: RateBudget,
  retryAfterMs: number,
): Refusal {
  return {
    code: 'RATE_LIMITED',
    message: `This account may sign ${points} times in ${windowSeconds} s; send the same request again after details.retryAfterMs.`,
    details: { platformId, accountId, retryAfterMs, limit: points, windowSeconds, scope: 'account' },
  };
}

/** The key could not be opened, or the signature could not be made or checked. */
export function signatureFailed(platformId: string, accountId: string, cause: unknown): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message: 'The signature could not be made or checked.',
    details: { platformId, accountId },
    cause,
  };
}

/** The signature was made and does not verify; it is withheld, because a faulty signature can reveal its key. */
export function signatureFaulty(platformId: string, accountId: string): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message:
      'The signature that was made does not verify, so it is not released. Check the machine for faults of memory or processor.',
    details: { platformId, accountId, reason: 'SIGNATURE_FAULTY' },
  };
}

/**
 * A signature, or the answer to a verification, was withheld because its audit record could not be
 * made durable. Why is in the service log.
 */
export function auditUnavailable(): Refusal {
  return {
    code: 'SIGNATURE_FAILED',
    message: 'The audit record could not be written, so nothing is released.',
    details: { reason: 'AUDIT_UNAVAILABLE' },
  };
}

/** The credentials configuration could not be loaded; what was loaded before stays in force. */
export function configLoadFailed(location: string, issues: readonly Issue[], cause?: unknown): Refusal {
  return {
    code: 'CONFIG_LOAD_FAILED',
    message: 'The credentials configuration could not be loaded; nothing was changed.',
    details: { path: location, issues: issues.map(({ path, message }) => ({ path, message })) },
    cause,
  };
}

function deniedWith(details: Refusal['details'], principal: string | null): Refusal {
  return {
    code: 'FORBIDDEN',
    message: 'Permission denied: no permission entry allows this operation for the caller.',
    details: { ...details, principal: principal ?? ANONYMOUS, reason: 'PERMISSION_DENIED' },
  };
}
