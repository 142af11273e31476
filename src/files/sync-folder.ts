import { promises as fs } from 'node:fs';
import { systemErrorCode } from './system-error-code.ts';

/** Makes the entries of a folder durable: what was created, renamed or removed in it stays so after a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems have no such operation; the change itself stands.
    if (systemErrorCode(error) !== 'EINVAL') throw error;
  } finally {
    await handle.close();
  }
}
