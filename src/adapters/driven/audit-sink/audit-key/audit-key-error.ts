/**
 * The audit key, or the file with its public half, is missing, wrong or can't be made. The message names the file, SIGNING_AUDIT_KEY_FILE and what to do;
 * nothing of a file's content is in it.
 */
export class AuditKeyError extends Error {
  override readonly name = 'AuditKeyError';
}

/** What mends most of what can be wrong. */
export const INIT_ADVICE = 'run `signing-service init`, which makes only what is missing';
