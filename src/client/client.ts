/*
 * What `signing-service/client` exports, and what callers may rely on. It is the one file of the project that only passes on: a package's entry is one place by nature.
 */
export type {
  Account,
  AccountList,
  AccountName,
  AccountPage,
  AccountSelection,
  ListedAccount,
  PageSelection,
} from './account-types.ts';
export type { AuthenticationOptions } from './authentication-options.ts';
export { canonicalJson } from './canonical-json.ts';
export { type ErrorKind, SigningClientError } from './client-error.ts';
export type {
  Attempt,
  CallOptions,
  ExpectedPayload,
  RetryOptions,
  SignatureVerification,
  SigningCallOptions,
  SigningClientOptions,
  TlsOptions,
} from './client-options.ts';
export { type DetailsOf, type DetailsOfCode, ERROR_CODES, type ErrorCode, type FieldIssue } from './error-codes.ts';
export type { GivenText } from './given-text.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { NetworkError } from './network-error.ts';
export { ProtocolError } from './protocol-error.ts';
export { isServiceError, ServiceError } from './service-error.ts';
export { SigningClient } from './signing-client.ts';
export type {
  Algorithm,
  BatchFailure,
  BatchItemResult,
  BatchRequest,
  BatchResult,
  BatchSuccess,
  PayloadParts,
  Signature,
  SignatureEncoding,
  SignedPayload,
  SignRequest,
  Verification,
  VerifyRequest,
} from './signing-types.ts';
export type { LastReload, RekeyedAccount, ReloadResult, StatusReport } from './status-types.ts';
export { type TimedPhase, TimeoutError } from './timeout-error.ts';
export { UntrustedAnswerError, type UntrustedReason } from './untrusted-answer-error.ts';
export { VerificationError, type VerificationReason } from './verification-error.ts';
