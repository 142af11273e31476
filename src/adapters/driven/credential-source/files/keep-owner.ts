import { type FileHandle, stat } from 'node:fs/promises';
import { EditRefusedError } from '../../../../domain/model/errors.ts';

/**
 * Gives a file that is to take the place of another, or to stand beside it, that one's owner and group.
 * @throws EditRefusedError when this user may not: whoever reads `model` could not read the new file
 */
export async function keepOwner(handle: FileHandle, model: string): Promise<void> {
  const [own, wanted] = await Promise.all([handle.stat(), stat(model)]);
  if (own.uid === wanted.uid && own.gid === wanted.gid) return;
  await handle.chown(wanted.uid, wanted.gid).catch((error: unknown) => {
    throw new EditRefusedError(
      `${model} belongs to another user or group, who could not read what is to take its place; it was left as it is. Run this as that user.`,
      { cause: error },
    );
  });
}
