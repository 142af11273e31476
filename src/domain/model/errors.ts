import type { Issue } from './issue.ts';

/**
 * An expected failure that an operator can resolve. The message is all that is shown of it: it
 * names the file, setting or address and what to do, and holds no secret.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The credentials configuration is unreadable or wrong. `issues` says where and what to do; no key material in it. */
export class CredentialLoadError extends Error {
  override readonly name = 'CredentialLoadError';
  readonly issues: readonly Issue[];

  constructor(location: string, issues: readonly Issue[], cause?: unknown) {
    const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(`${location}: ${lines.join('; ')}`, { cause });
    this.issues = issues;
  }
}

/** A private key is not what its algorithm needs (wrong length, zero, beyond the group order). The message never holds it. */
export class InvalidPrivateKeyError extends Error {
  override readonly name = 'InvalidPrivateKeyError';
}

/** A record could not be made durable; nothing that depends on it may leave the process. */
export class AuditUnavailableError extends Error {
  override readonly name = 'AuditUnavailableError';
}

/** The KeyStore does not hold that key (any more), or can't open it. */
export class KeyUnavailableError extends Error {
  override readonly name = 'KeyUnavailableError';
}

/** An operator's change to the configuration can't be made; the message says why and what to do. */
export class EditRefusedError extends Error {
  override readonly name = 'EditRefusedError';
}
