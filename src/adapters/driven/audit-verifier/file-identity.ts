import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Names a file itself, whatever its path is: device and inode. Once it is deleted, another file can get the same. */
export function identityOf({ dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/** Of the file that has this path now; null when that can't be told. */
export async function identityAt(path: string): Promise<string | null> {
  try {
    return identityOf(await stat(path, { bigint: true }));
  } catch {
    return null;
  }
}
