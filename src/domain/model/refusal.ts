import { z } from 'zod';
import type { Issue } from './errors.ts';
import type { Immutable, JsonObject } from './json.ts';
import { OPERATIONS } from './operations.ts';

/** An expected failure, without key bytes or the caller's data. Made by {@link refuse}. */
export interface Refusal {
  /** Stable: callers decide by it. */
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
  /** For the service log only. */
  readonly cause?: unknown;
  readonly row: Pick<RefusalRow, 'status' | 'challenge' | 'isFailure'>;
}

/** An endpoint's id in the OpenAPI document; a batch item is refused as a request to `sign`. */
type OperationId =
  | 'sign'
  | 'verify'
  | 'listAccounts'
  | 'getAccount'
  | 'reloadConfiguration'
  | 'getStatus'
  | 'getMetrics'
  | 'isReady';

/**
 * Endpoints that have a refusal: one of them, all, or all that need identification (`guarded`), of
 * which some take a body that they interpret and the others do not.
 */
type RefusalScope = OperationId | 'all' | 'guarded' | 'withBody' | 'withoutBody';

/**
 * One kind of refusal, all of it: responses, records, metrics, OpenAPI, documentation and clients
 * follow from its row.
 */
export interface RefusalRow<Given = unknown> {
  /** Several rows may share code and status; `details` tell them apart. */
  readonly code: string;
  /** HTTP status (RFC 9110 §15; 423: RFC 4918 §11.3; 429, 431: RFC 6585 §4, §5). */
  readonly status: number;
  /** A sentence for callers: what happened and what to do. */
  message(details: Given): string;
  readonly details: z.ZodRawShape;
  /** Details that are the same each time, such as `reason` and `scope`. */
  readonly fixedDetails: JsonObject;
  /** For the documentation: when it occurs. */
  readonly when: string;
  /** Where it occurs; none for a path or method that no endpoint has. */
  readonly endpoints: readonly RefusalScope[];
  /** For the documentation: details without {@link fixedDetails}. */
  readonly example: Given;
  /** Nothing was executed: clients repeat the request after `Retry-After`. */
  readonly isRetryable?: boolean;
  /** The service is at fault, not the request: `failed` in audit records and metrics. */
  readonly isFailure?: boolean;
  /** `WWW-Authenticate` of the response. */
  readonly challenge?: string;
}

type LiteralName<Shape> = { [Name in keyof Shape]: Shape[Name] extends z.ZodLiteral ? Name : never }[keyof Shape];

/** Details that {@link refuse} gets: all but the literals. */
type Given<Shape extends z.ZodRawShape> = Immutable<Omit<z.infer<z.ZodObject<Shape>>, LiteralName<Shape>>>;

interface RowDefinition<Shape extends z.ZodRawShape>
  extends Omit<RefusalRow<Given<Shape>>, 'message' | 'details' | 'fixedDetails'> {
  readonly message: string | ((details: Given<Shape>) => string);
  readonly details: Shape;
}

/** Defines a kind of refusal. */
export function row<Shape extends z.ZodRawShape>(definition: RowDefinition<Shape>): RefusalRow<Given<Shape>> {
  const { message, details } = definition;
  const fixedDetails = Object.entries(details).flatMap(([name, type]) =>
    type instanceof z.ZodLiteral ? [[name, type.value as string]] : [],
  );
  return {
    ...definition,
    message: typeof message === 'string' ? () => message : message,
    fixedDetails: Object.fromEntries(fixedDetails),
  };
}

type NoDetails = Readonly<Record<never, never>>;

interface FixedRowDefinition<Shape extends z.ZodRawShape> extends Omit<RowDefinition<Shape>, 'message' | 'example'> {
  readonly message: string;
  readonly fixedDetails: Immutable<z.infer<z.ZodObject<Shape>>>;
}

/** Defines a kind of refusal whose details are all the same each time. */
export function fixedRow<Shape extends z.ZodRawShape>(definition: FixedRowDefinition<Shape>): RefusalRow<NoDetails> {
  const fixedDetails = definition.fixedDetails as JsonObject;
  return { ...definition, fixedDetails, message: () => definition.message, example: {} };
}

/** Details as the row wants them, and the underlying error. */
type RefuseArguments<Row> =
  Row extends RefusalRow<infer Details>
    ? NoDetails extends Details
      ? [details?: Details, cause?: unknown]
      : [details: Details, cause?: unknown]
    : never;

/** Makes the function that makes the refusals of a table, by name. */
export function refuser<Table extends { readonly [name: string]: RefusalRow }>(table: Table) {
  return <Name extends keyof Table>(name: Name, ...[given, cause]: RefuseArguments<Table[Name]>): Refusal => {
    const row: RefusalRow = table[name] as Table[Name];
    const details = { ...(given as JsonObject | undefined), ...row.fixedDetails };
    return { code: row.code, message: row.message(details), details, cause, row };
  };
}

/** Names in a list of a refusal; an account rarely has more. */
export const MAX_LISTED_NAMES = 20;

const ids = {
  platformId: z.string().describe('As sent in the request.'),
  accountId: z.string().describe('As sent in the request.'),
};

const access = {
  ...ids,
  principal: z.string().describe('Name under which the caller is known; `anonymous` if it is not authenticated.'),
};

/** A count. */
export const count = z.int().nonnegative();

/** The exceeded rate limit. */
export const rateLimit = {
  limit: count.describe('Points within any window.'),
  windowSeconds: count.describe('Length of the window in seconds.'),
};

/** Milliseconds to wait. */
export const retryAfterMs = z.number().describe('Milliseconds to wait before a retry.');

/** An {@link Issue} in a response. */
export const issue = z.object({
  path: z
    .string()
    .describe('Invalid field, such as `requests[3].platformId`; empty for the request or file as a whole.'),
  message: z.string().describe('What is wrong or expected; human-readable.'),
}) satisfies z.ZodType<Issue>;

const ACCOUNT_INACTIVE = { code: 'ACCOUNT_INACTIVE', status: 423 };
const SIGNATURE_FAILED = { code: 'SIGNATURE_FAILED', status: 500, isFailure: true };

/** Several refusals, here and in HTTP. */
export const FORBIDDEN = { code: 'FORBIDDEN', status: 403 };

/** Several refusals, here and in HTTP. */
export const RATE_LIMITED = { code: 'RATE_LIMITED', status: 429, isRetryable: true };

const MAIN = { platformId: 'alpha', accountId: 'main' };
const DESK = { ...MAIN, principal: 'desk-7' };

/** Refusals about accounts, platforms and data, by schema name in the OpenAPI document. */
export const ACCOUNT_REFUSALS = {
  AccountNotFound: row({
    code: 'ACCOUNT_NOT_FOUND',
    status: 404,
    message: 'No account with this accountId exists on this platform.',
    details: ids,
    when: 'The platform has no such account.',
    endpoints: ['getAccount', 'sign', 'verify'],
    example: { platformId: 'alpha', accountId: 'ghost' },
  }),
  PlatformNotSupported: row({
    code: 'PLATFORM_NOT_SUPPORTED',
    status: 400,
    message: 'No platform with this platformId is configured.',
    details: { platformId: ids.platformId },
    when: 'No such platform.',
    endpoints: ['sign', 'verify'],
    example: { platformId: 'omega' },
  }),
  InvalidDataFormat: row({
    code: 'INVALID_DATA_FORMAT',
    status: 400,
    message: 'The request is invalid; details.issues lists the invalid fields and what is expected.',
    details: {
      issues: z
        .array(issue)
        .min(1)
        .max(20)
        .describe('At most one issue per field. Never contains a value of the request.'),
    },
    when: 'The request or its data is invalid; `issues` lists each field.',
    endpoints: ['all'],
    example: {
      issues: [
        {
          path: 'accountId',
          message: 'is missing; it must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit',
        },
      ],
    },
  }),
  AccountInactive: row({
    ...ACCOUNT_INACTIVE,
    message: 'This account is disabled.',
    details: ids,
    when: 'The account is disabled.',
    endpoints: ['sign', 'verify'],
    example: { platformId: 'alpha', accountId: 'idle' },
  }),
  PlatformInactive: row({
    ...ACCOUNT_INACTIVE,
    message: 'The platform of this account is disabled.',
    details: { reason: z.literal('PLATFORM_DISABLED'), ...ids },
    when: 'The platform of the account is disabled, so none of its accounts can sign.',
    endpoints: ['sign', 'verify'],
    example: { platformId: 'delta', accountId: 'main' },
  }),
  PermissionDenied: row({
    ...FORBIDDEN,
    message: 'Permission denied: no permission entry allows this operation for the caller.',
    details: {
      reason: z.literal('PERMISSION_DENIED'),
      operation: z.enum(OPERATIONS).meta({ isExtensible: true }),
      principal: access.principal,
      platformId: ids.platformId.exactOptional().describe('Only if the operation concerns one account.'),
      accountId: ids.accountId.exactOptional().describe('Only if the operation concerns one account.'),
    },
    when: 'No permission entry allows this operation for the caller.',
    // Items of a batch are refused one by one.
    endpoints: ['withoutBody', 'sign', 'verify'],
    example: { ...MAIN, operation: 'sign', principal: 'desk-7' },
  }),
  // Verification of a message authentication code would be an oracle.
  VerificationForbidden: row({
    ...FORBIDDEN,
    message:
      'This platform does not allow callers to verify HMAC signatures. The operator can allow it with verify.mac.',
    details: { reason: z.literal('VERIFICATION_FORBIDDEN'), ...access },
    when: 'The platform does not allow callers to verify HMAC signatures.',
    endpoints: ['verify'],
    example: { ...DESK, platformId: 'gamma' },
  }),
  PolicyDenied: row({
    code: 'POLICY_DENIED',
    status: 403,
    message: ({ reason }) =>
      reason === 'DENIED_BY_POLICY'
        ? 'A policy denies this request; details.policies names it.'
        : 'No policy of this account allows this request; details.policies lists the policies that could.',
    details: {
      ...access,
      reason: z
        .enum(['DENIED_BY_POLICY', 'NOT_ALLOWED_BY_POLICY'])
        .describe('A `deny` policy matched, or no `allow` policy of the account matched.'),
      policies: z
        .array(z.string())
        .min(1)
        .max(MAX_LISTED_NAMES)
        .describe('The `deny` policy that matched, or the `allow` policies of the account.'),
    },
    when: 'A policy of the account denies this request, or none allows it.',
    endpoints: ['sign'],
    example: { ...DESK, reason: 'NOT_ALLOWED_BY_POLICY', policies: ['alpha-trade-only'] },
  }),
  BudgetExceeded: row({
    code: 'BUDGET_EXCEEDED',
    status: 403,
    message: ({ reason }) =>
      reason === 'OVER_BUDGET'
        ? "This request exceeds the account's remaining budget; details.budgets names the budgets."
        : "The amount that this request takes from the account's budget cannot be determined; details.budgets names the budgets.",
    details: {
      ...access,
      reason: z
        .enum(['OVER_BUDGET', 'AMOUNT_UNDECIDED'])
        .describe('The request exceeds the remaining budget, or its amount cannot be determined.'),
      budgets: z.array(z.string()).min(1).max(MAX_LISTED_NAMES).describe('Budgets that deny the request.'),
    },
    when: "The request exceeds the account's remaining budget.",
    endpoints: ['sign'],
    example: { ...DESK, reason: 'OVER_BUDGET', budgets: ['alpha-daily'] },
  }),
  BudgetUnavailable: row({
    code: 'BUDGET_UNAVAILABLE',
    status: 503,
    isFailure: true,
    message: "The account's budgets cannot be charged at the moment, so nothing was signed.",
    details: ids,
    when: "The account's budgets cannot be charged at the moment; nothing was signed.",
    endpoints: ['sign'],
    example: MAIN,
  }),
  AccountRateLimited: row({
    ...RATE_LIMITED,
    message: ({ limit, windowSeconds }) =>
      `Account rate limit exceeded: ${limit} signatures in ${windowSeconds} s. Retry the same request after details.retryAfterMs.`,
    details: { scope: z.literal('account'), ...ids, retryAfterMs, ...rateLimit },
    when: 'The account exceeds `SIGNING_RATE_LIMIT_PER_ACCOUNT`.',
    endpoints: ['sign'],
    example: { ...MAIN, retryAfterMs: 250, limit: 100, windowSeconds: 1 },
  }),
  SignatureFailed: row({
    ...SIGNATURE_FAILED,
    message: 'The signature could not be created or verified.',
    details: ids,
    when: 'The signature could not be created or verified.',
    endpoints: ['sign', 'verify'],
    example: MAIN,
  }),
  // A faulty signature can reveal its key.
  SignatureFaulty: row({
    ...SIGNATURE_FAILED,
    message:
      'The new signature does not verify, so it was not released. Check the memory and processor of the machine for faults.',
    details: { reason: z.literal('SIGNATURE_FAULTY'), ...ids },
    when: 'The new signature does not verify (`SIGNING_VERIFY_SIGNATURES`), so it was not released.',
    endpoints: ['sign'],
    example: MAIN,
  }),
  AuditUnavailable: row({
    ...SIGNATURE_FAILED,
    message: 'The audit record could not be written, so nothing was released.',
    details: { reason: z.literal('AUDIT_UNAVAILABLE') },
    when: 'The audit record could not be written, so nothing was released.',
    endpoints: ['sign', 'verify'],
    example: {},
  }),
  ConfigLoadFailed: row({
    code: 'CONFIG_LOAD_FAILED',
    status: 500,
    isFailure: true,
    message: 'The credentials file could not be loaded; nothing was changed.',
    details: { path: z.string().describe('Path of the credentials file.'), issues: z.array(issue) },
    when: 'The credentials file could not be loaded, or the reload could not be recorded; nothing was changed.',
    endpoints: ['reloadConfiguration'],
    example: {
      path: '/etc/signing-service/credentials.json',
      issues: [{ path: 'accounts[0].algorithm', message: 'must be one of the algorithms of platform alpha: ed25519' }],
    },
  }),
} as const;

/** Makes a refusal of {@link ACCOUNT_REFUSALS}. */
export const refuse = refuser(ACCOUNT_REFUSALS);

/** A success. */
export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
}

/** An expected failure and its reason. */
export interface Refused<Reason = Refusal> {
  readonly ok: false;
  readonly refusal: Reason;
}

/** The result of what may be refused for an expected reason; exceptions are for unexpected ones. */
export type Outcome<Value, Reason = Refusal> = Accepted<Value> | Refused<Reason>;

/** A success. */
export function accepted<Value>(value: Value): Accepted<Value> {
  return { ok: true, value };
}

/** A refusal, as an outcome of any value type. */
export function refused<Reason>(refusal: Reason): Refused<Reason> {
  return { ok: false, refusal };
}
