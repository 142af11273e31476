import type { RefusalCode } from '../../../domain/model/refusal.ts';

/** Every `error.code`: the specification's six, and those for what none of the six can name. */
export type ErrorCode =
  | RefusalCode
  | 'UNAUTHENTICATED'
  | 'REQUEST_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'REQUEST_TIMEOUT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'OVERLOADED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_READY'
  | 'INTERNAL_ERROR';

/** The HTTP status of each error code (RFC 9110 §15; 429 and 431 are RFC 6585 §4 and §5, 423 is RFC 4918 §11.3). */
export const STATUS_OF_CODE: { readonly [Code in ErrorCode]: number } = {
  ACCOUNT_NOT_FOUND: 404,
  PLATFORM_NOT_SUPPORTED: 400,
  INVALID_DATA_FORMAT: 400,
  SIGNATURE_FAILED: 500,
  CONFIG_LOAD_FAILED: 500,
  ACCOUNT_INACTIVE: 423,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  RATE_LIMITED: 429,
  REQUEST_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  REQUEST_TIMEOUT: 408,
  UNSUPPORTED_MEDIA_TYPE: 415,
  OVERLOADED: 503,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_READY: 503,
  INTERNAL_ERROR: 500,
};
