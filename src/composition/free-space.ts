import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an answer of the file system is waited for, milliseconds. */
const PATIENCE_MS = 200;

/** How many bytes may still be written in a folder's file system. One question is under way at a time: a disk that hangs would hold a thread for each. */
export class FreeSpace {
  readonly #folder: string;
  readonly #ask: (folder: string) => Promise<number>;
  #asking: Promise<number | null> | null = null;

  constructor(folder: string, ask: (folder: string) => Promise<number> = freeBytesIn) {
    this.#folder = folder;
    this.#ask = ask;
  }

  /** Null where that can't be told, or not soon. Never rejects. */
  async bytes(): Promise<number | null> {
    this.#asking ??= this.#ask(this.#folder)
      .catch(() => null)
      .finally(() => {
        this.#asking = null;
      });
    const tooLate = new AbortController();
    const answer = await Promise.race([
      this.#asking,
      sleep(PATIENCE_MS, null, { signal: tooLate.signal }).catch(() => null),
    ]);
    tooLate.abort();
    return answer;
  }
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
