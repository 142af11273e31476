import type { JsonObject } from './json.ts';

/** Every `error.code` of version 1 of the API. A later service may have more: treat one that you don't know by its HTTP status. */
export const ERROR_CODES = [
  'ACCOUNT_NOT_FOUND',
  'PLATFORM_NOT_SUPPORTED',
  'INVALID_DATA_FORMAT',
  'SIGNATURE_FAILED',
  'CONFIG_LOAD_FAILED',
  'ACCOUNT_INACTIVE',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'REQUEST_TOO_LARGE',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'UNSUPPORTED_MEDIA_TYPE',
  'OVERLOADED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_READY',
  'INTERNAL_ERROR',
] as const;

/** See {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What is wrong with a field: `path` as in `data.instruction.price`, `message` for people. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** Codes whose `details` have members that are always there; those of the others are in docs/API.md. They are typed as the API promises them, and not checked. */
export interface DetailsOfCode {
  readonly ACCOUNT_NOT_FOUND: { readonly platformId: string; readonly accountId: string };
  readonly ACCOUNT_INACTIVE: { readonly platformId: string; readonly accountId: string };
  readonly PLATFORM_NOT_SUPPORTED: { readonly platformId: string };
  readonly INVALID_DATA_FORMAT: { readonly issues: readonly FieldIssue[] };
  readonly CONFIG_LOAD_FAILED: { readonly path: string; readonly issues: readonly FieldIssue[] };
  readonly FORBIDDEN: { readonly reason: string };
  readonly UNAUTHENTICATED: { readonly reason: string };
  readonly RATE_LIMITED: { readonly scope: string; readonly retryAfterMs: number | null; readonly limit: number };
  readonly REQUEST_TOO_LARGE: { readonly limitBytes: number };
  readonly METHOD_NOT_ALLOWED: { readonly allowed: readonly string[] };
}

/** `details` of an error with this code. */
export type DetailsOf<Code extends string> = Code extends keyof DetailsOfCode
  ? DetailsOfCode[Code] & JsonObject
  : JsonObject;
