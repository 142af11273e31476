import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import { isMissingFile, KeyFileError } from '../../key-files/secret-file.ts';
import { readMasterKeyFile, removeStoredKey } from './master-key-file.ts';
import { sourceNameOf } from './stored-key-sources.ts';

/**
 * Refuses a request for a protection that an existing master key does not have. The key is not
 * opened; a missing file is no issue.
 * @throws EditRefusedError naming the present protection and how to change it, or why the file
 * cannot be read; MemoryLockError
 */
export function assertExistingProtection(file: string, wanted: MasterKeyProtection): void {
  const present = readProtection(file);
  const request = describe(wanted);
  if (present === null || present === request) return;
  const options =
    wanted.source === 'file'
      ? '--master-key-source file'
      : `--master-key-source ${wanted.source} --wrapping-key ${wanted.wrappingKey}`;
  throw new EditRefusedError(
    `${file} already has a master key, whose source is ${present}, not ${request}; nothing was changed. ` +
      `To keep it, run init without --master-key-source. To change the source, run signing-service master-key rotate ${options}.`,
  );
}

/** Null: there is no file. */
function readProtection(file: string): string | null {
  try {
    const stored = readMasterKeyFile(file);
    removeStoredKey(stored);
    const source = sourceNameOf(stored);
    return stored.kind === 'enveloped' ? describe(stored.envelope) : source;
  } catch (error) {
    if (isMissingFile(error)) return null;
    if (!(error instanceof KeyFileError)) throw error;
    throw new EditRefusedError(`${error.message}. Nothing was changed.`, { cause: error });
  }
}

function describe(protection: { readonly source: string; readonly wrappingKey?: string }): string {
  const { source, wrappingKey } = protection;
  return wrappingKey === undefined ? source : `${source} with wrapping key ${wrappingKey}`;
}
