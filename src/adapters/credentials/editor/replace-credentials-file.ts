import { fileError } from '../../files/file-advice.ts';
import { replaceFile, writeAllSync } from '../../files/replace-file.ts';
import { withSecretFile } from '../../key-files/secret-file.ts';

const OWNER_AND_GROUP = 0o660;
const PERMISSIONS = 0o777;

/** Passes a secret file's content to `write`, from locked memory if secret. */
export type SecretContent = (write: (bytes: Buffer) => void) => void;

/**
 * Replaces a credentials file atomically. Keeps owner, group and mode, except access of others. The
 * caller holds the file's lock.
 * @param file path of an existing file, without symbolic links
 * @param confirm called before the rename; may throw
 * @throws OperatorError if it cannot be written with that owner; the file is unchanged
 */
export function replaceCredentialsFile(file: string, content: string, confirm: () => Promise<void>): Promise<void> {
  const access = { of: file, mode: OWNER_AND_GROUP };
  return replaceFile(file, { write: (handle) => handle.writeFile(content), access, confirm });
}

/**
 * Atomically replaces a secret file, keeps owner, group and mode, and verifies what was written.
 * The caller holds the file's lock.
 * @param file path of an existing file, without symbolic links
 * @throws OperatorError if it cannot be written with that owner; the file is unchanged
 */
export function replaceSecretFile(file: string, content: SecretContent): Promise<void> {
  return replaceFile(file, {
    write: ({ fd }, temporary) =>
      content((bytes) => {
        writeAllSync(fd, bytes);
        if (withSecretFile(temporary, bytes.length, (written) => written.equals(bytes))) return;
        throw fileError(temporary, 'the written content differs when read back; check the disk');
      }),
    access: { of: file, mode: PERMISSIONS },
  });
}
