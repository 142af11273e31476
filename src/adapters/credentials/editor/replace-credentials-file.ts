import { EditRefusedError } from '../../../domain/model/errors.ts';
import { NotReplacedError, type Replacement, replaceFile, writeAllSync } from '../../files/replace-file.ts';
import { KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';

const OWNER_AND_GROUP = 0o660;
const PERMISSIONS = 0o777;

/** Passes a secret file's content to `write`, from locked memory if secret. */
export type SecretContent = (write: (bytes: Buffer) => void) => void;

/**
 * Replaces a credentials file atomically. Keeps owner, group and mode, except access of others. The
 * caller holds the file's lock.
 * @param file path of an existing file, without symbolic links
 * @param confirm called before the rename; may throw
 * @throws EditRefusedError if it cannot be written with that owner; the file is unchanged
 */
export function replaceCredentialsFile(file: string, content: string, confirm: () => Promise<void>): Promise<void> {
  const access = { of: file, mode: OWNER_AND_GROUP };
  return replaceOrRefuse(file, { write: (handle) => handle.writeFile(content), access, confirm });
}

/**
 * Atomically replaces a secret file, keeps owner, group and mode, and verifies what was written. The
 * caller holds the file's lock.
 * @param file path of an existing file, without symbolic links
 * @throws EditRefusedError if it cannot be written with that owner; the file is unchanged
 */
export function replaceSecretFile(file: string, content: SecretContent): Promise<void> {
  return replaceOrRefuse(file, {
    write: ({ fd }, temporary) =>
      content((bytes) => {
        writeAllSync(fd, bytes);
        if (withSecretFile(temporary, bytes.length, (written) => written.equals(bytes))) return;
        throw new KeyFileError(temporary, 'the written content differs when read back; check the disk');
      }),
    access: { of: file, mode: PERMISSIONS },
  });
}

async function replaceOrRefuse(file: string, replacement: Replacement): Promise<void> {
  try {
    await replaceFile(file, replacement);
  } catch (error) {
    throw asRefusal(file, replacement, error);
  }
}

function asRefusal(file: string, { access }: Replacement, error: unknown): unknown {
  if (error instanceof KeyFileError) return new EditRefusedError(`${error.message}.`, { cause: error.cause });
  if (!(error instanceof NotReplacedError)) return error;
  const message = error.isOwnerRefused
    ? `${access?.of} belongs to another user or group, which could not read its replacement; it was not changed. Run this as that user.`
    : `${file} cannot be written (${error.code}); it was not changed. Check the disk and the permissions of its folder.`;
  return new EditRefusedError(message, { cause: error.cause });
}
