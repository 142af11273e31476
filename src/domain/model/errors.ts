/** One thing that is wrong with input of a caller or operator. */
export interface Issue {
  /** Path: `data.instruction.price`, `requests[3].requestId`. Empty for the whole document. */
  readonly path: string;
  /** What is wrong and what would be right. Never the offending value itself. */
  readonly message: string;
}

/** A sentence for operators: `path: message; path: message.` */
export function formatIssues(issues: readonly Issue[]): string {
  const clauses = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  // Some messages are sentences.
  return `${clauses.map((clause) => clause.replace(/\.$/, '')).join('; ')}.`;
}

/** Why an operation failed, for {@link OperatorError}. */
interface OperatorErrorReason {
  readonly cause?: unknown;
  /** Default: the code of the cause. */
  readonly code?: string;
}

/**
 * Code of an {@link OperatorError} for what is not available for now, such as a key service: a
 * retry may succeed.
 */
export const UNAVAILABLE = 'UNAVAILABLE';

/**
 * An expected failure that an operator can resolve. The message is shown alone: sentences that name
 * the file, setting or address and the remedy, without secrets.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** For callers that react to it, such as a system error's `ENOENT`. */
  readonly code: string | undefined;

  constructor(message: string, { cause, code = codeOf(cause) }: OperatorErrorReason = {}) {
    super(message, { cause });
    this.code = code;
  }
}

function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Adds context to an OperatorError. Other errors are returned as they are, and those of subclasses,
 * which speak for themselves: memory that cannot be locked is not a fault of the file to read.
 * @param explain forms the new message
 */
export function inContext(error: unknown, explain: (message: string) => string): unknown {
  const isPlain = error instanceof OperatorError && Object.getPrototypeOf(error) === OperatorError.prototype;
  return isPlain ? new OperatorError(explain(error.message), { cause: error }) : error;
}

/**
 * A running service that cannot be reached, or refuses to report its state. The message names the
 * cause and the remedy.
 */
export class ServiceUnavailableError extends OperatorError {
  override readonly name = 'ServiceUnavailableError';
  /** Whether it is only not ready yet. */
  readonly isNotReady: boolean;

  constructor(message: string, isNotReady: boolean) {
    super(message);
    this.isNotReady = isNotReady;
  }
}

/** The credentials configuration is unreadable or wrong; `issues` hold no key material. */
export class CredentialLoadError extends OperatorError {
  override readonly name = 'CredentialLoadError';
  readonly issues: readonly Issue[];

  constructor(location: string, issues: readonly Issue[], cause?: unknown) {
    super(`${location}: ${formatIssues(issues)}`, { cause });
    this.issues = issues;
  }
}

/**
 * Not a valid key of its algorithm (length, zero, beyond the group order). The message never holds
 * it.
 */
export class InvalidPrivateKeyError extends OperatorError {
  override readonly name = 'InvalidPrivateKeyError';
}

/** A record could not be made durable; nothing that depends on it may be released. */
export class AuditUnavailableError extends OperatorError {
  override readonly name = 'AuditUnavailableError';
}

/** The caller left before its request was begun: nothing was signed, verified or recorded. */
export class CallerLeftError extends Error {
  override readonly name = 'CallerLeftError';
}

/** The KeyStore does not hold the key or cannot open it. */
export class KeyUnavailableError extends Error {
  override readonly name = 'KeyUnavailableError';
}
