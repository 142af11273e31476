import { Ed25519Key } from '../../../../secure-memory/ed25519-key.ts';
import { withAuditSeed } from './audit-key-file.ts';

/** The key with which the service signs checkpoints of its audit file, and nothing else. */
export class AuditKey extends Ed25519Key {
  /**
   * Reads the key from its file.
   * @throws OperatorError that names the file, SIGNING_AUDIT_KEY_FILE and what to do
   * @throws MemoryLockError when memory for it can't be locked
   */
  static open(file: string): AuditKey {
    return withAuditSeed(file, (seed) => new AuditKey(seed));
  }
}
