import { formatIssues, type Issue } from './refusal.ts';

/**
 * An expected failure that an operator can resolve. The message names the file, setting or address
 * and the remedy, without secrets; nothing else is shown.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * A running service that cannot be reached, or refuses to report its state. The message names the
 * cause and the remedy.
 */
export class ServiceUnavailableError extends Error {
  override readonly name = 'ServiceUnavailableError';
  /** Whether it is only not ready yet. */
  readonly isNotReady: boolean;

  constructor(message: string, isNotReady: boolean) {
    super(message);
    this.isNotReady = isNotReady;
  }
}

/** The credentials configuration is unreadable or wrong; `issues` hold no key material. */
export class CredentialLoadError extends Error {
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
export class InvalidPrivateKeyError extends Error {
  override readonly name = 'InvalidPrivateKeyError';
}

/** A record could not be made durable; nothing that depends on it may be released. */
export class AuditUnavailableError extends Error {
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

/** A configuration change is refused; the message says why and what to do. */
export class EditRefusedError extends Error {
  override readonly name = 'EditRefusedError';
}

/**
 * The master key cannot be opened or encrypted by its service or token, or for lack of memory. The
 * message names service, key or setting and the remedy, without secrets.
 */
export class MasterKeyUnavailableError extends Error {
  override readonly name = 'MasterKeyUnavailableError';
}
