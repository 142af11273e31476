import type { EditRefusedError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import type { AccountAddition, AdditionFault } from '../../../ports/credential-editor.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';

const LEADS_NOWHERE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** What to tell of a key that could not be read or made, and of which field. A path that leads nowhere is not repeated: it may be the secret itself, put where its path belongs. */
export function additionKeyFault(
  { message, cause }: EditRefusedError,
  { draft, origin }: AccountAddition,
): Omit<AdditionFault, 'index'> {
  if (origin.kind === 'generate') {
    if (cause !== undefined) return { field: 'file', message };
    return {
      field: 'file',
      message: `is needed: a key for ${draft.algorithm} is not generated, it is the secret that the platform gives out`,
    };
  }
  const field = cause instanceof KeyFileError && cause.file === origin.passwordFile ? 'passwordFile' : 'file';
  if (!(cause instanceof KeyFileError) || !LEADS_NOWHERE.includes(systemErrorCode(cause.cause)))
    return { field, message };
  return { field, message: 'leads to no file: it has to be the path of one, not what is in it' };
}
