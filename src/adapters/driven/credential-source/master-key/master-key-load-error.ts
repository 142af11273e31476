import { CredentialLoadError } from '../../../../domain/model/errors.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../../../secure-memory/locked-buffer.ts';

/** A master key that can't be had, as an error of the configuration that needs it; any other error as it is. */
export function asLoadError(location: string, error: unknown): unknown {
  if (!(error instanceof KeyFileError || error instanceof MemoryLockError)) return error;
  return new CredentialLoadError(location, [{ path: '', message: error.message }], error);
}
