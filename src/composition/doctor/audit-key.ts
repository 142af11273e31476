import { AuditKey } from '../../adapters/driven/audit-sink/audit-key/audit-key.ts';
import { hasPublicKeyFile, publicKeyFileOf } from '../../adapters/driven/audit-sink/audit-key/public-key-file.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { type Finding, fail, ok, warning } from '../../machine/finding.ts';
import { MemoryLockError } from '../../secure-memory/locked-buffer.ts';

const CHECK = 'audit-public-key';

/** Whether the audit key can be read, and whether the public half beside it, where there is one, is its own. The key is read into locked memory and wiped. */
export function checkAuditKey(file: string): Finding {
  try {
    const key = AuditKey.open(file);
    key.destroy();
    const publicKeyFile = publicKeyFileOf(file);
    if (hasPublicKeyFile(file, key.publicKey)) {
      return ok(CHECK, `${publicKeyFile} is the public half of the audit key: auditors need it`);
    }
    // Of a mounted secret it can't lie beside it.
    return ok(
      CHECK,
      `the audit key can be read; ${publicKeyFile} is not there, and \`signing-service init\` writes it where it can`,
    );
  } catch (error) {
    if (error instanceof OperatorError) {
      return fail(CHECK, error.message, 'Checkpoints of the audit file are signed with this key.');
    }
    if (!(error instanceof MemoryLockError)) throw error;
    const message = 'not checked: memory to read the audit key into could not be locked';
    return warning(CHECK, message, 'Mend what is found under memlock, then run this again.');
  }
}
