import { type Finding, fail, warning } from '../../adapters/machine/finding.ts';
import { MemoryLockError } from '../../adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../domain/model/errors.ts';

/**
 * Finding of a check that threw. Without locked memory it could not run, which another check
 * explains.
 * @throws errors that no operator can resolve
 */
export function failedCheck(check: string, error: unknown, remedy: string): Finding {
  if (error instanceof MemoryLockError) {
    const message = 'not checked: memory for the key could not be locked';
    return warning(check, message, 'Fix memlock first, then run this again.');
  }
  if (error instanceof OperatorError) return fail(check, error.message, remedy);
  throw error;
}
