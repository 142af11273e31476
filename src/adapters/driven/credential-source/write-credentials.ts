import { EditRefusedError } from '../../../domain/model/errors.ts';
import { currentRevision } from './credentials-file.ts';
import type { WrittenCredentials } from './credentials-schema.ts';

/** The text of a credentials file: JSON with two spaces and a final newline. */
export function credentialsText(written: WrittenCredentials): string {
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** @throws EditRefusedError when the file is no longer the one that was read, because somebody wrote it by hand */
export async function assertUnchanged(file: string, revision: string): Promise<void> {
  if ((await currentRevision(file)) === revision) return;
  throw new EditRefusedError(
    `${file} was changed by someone else at the same moment; nothing was changed here. Run the command again.`,
  );
}
