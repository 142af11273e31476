import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowRequest, Sighting } from '../../../domain/model/audit-sighting.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { ChainReader } from './chain-reader.ts';
import { FilesBeside, openNewest } from './files-beside.ts';
import { findStart, type Start } from './find-start.ts';
import { FollowedFile } from './followed-file.ts';
import { notice } from './notice.ts';

/** Time between two looks at the file, milliseconds. */
const POLL_MS = 200;

/**
 * Reads the audit file while it is written: by its path, as `tail -F` does, and along the chain
 * across its files. It gives each record once, whole, in the order of the chain, whatever becomes
 * of the file meanwhile: renamed, copied and truncated, removed and created again. Records that it
 * can't find are reported where they are missing. It polls, since notifications (`fs.watch`) do not
 * come for what another machine writes to a network file system.
 */
export class AuditFollower {
  readonly #pollMs: number;

  constructor(pollMs = POLL_MS) {
    this.#pollMs = pollMs;
  }

  /**
   * @throws OperatorError when the file can't be read at the start, or there is none to end with
   */
  async *follow(request: FollowRequest): AsyncGenerator<Sighting> {
    const start = yield* this.#begin(request);
    if (start === null) return;
    const { file: path, follow, signal } = request;
    const chain = new ChainReader(request);
    let { file } = start;
    let lastFault: string | null = null;
    try {
      await chain.beginAt(start);
      while (!signal.aborted) {
        yield* chain.readOn(file);
        const { next, fault } = await openNext(path, file);
        if (fault !== null && fault !== lastFault) yield notice(fault);
        lastFault = fault;
        if (next === null && !follow) return;
        if (next === null) {
          await sleep(this.#pollMs);
          continue;
        }
        try {
          // Who writes may have gone on in the old file until the new one had its first line.
          yield* chain.readOn(file);
        } finally {
          await file.close();
          file = next;
        }
      }
    } finally {
      await file.close();
    }
  }

  /** Where to begin; waits for a file when there is none yet. Null when it was ended meanwhile. */
  async *#begin(request: FollowRequest): AsyncGenerator<Sighting, Start | null> {
    const { file: path, follow, signal } = request;
    for (let isFirstLook = true; !signal.aborted; isFirstLook = false) {
      const beside = new FilesBeside(path);
      const file =
        (await openIfThere(path)) ?? (await beside.find(false, (segments) => openNewest(path, segments)))?.file ?? null;
      if (file !== null) return findStart(file, isFirstLook ? request : { ...request, ...EVERYTHING });
      if (!follow) throw new OperatorError(`${path} is not there: name the audit file.`);
      if (isFirstLook) yield notice(`${path} is not there yet: waiting for it`);
      await sleep(this.#pollMs);
    }
    return null;
  }
}

/** What there is to find of a chain that had to be waited for is new. */
const EVERYTHING = { from: { lines: Number.POSITIVE_INFINITY }, isWanted: null };

interface NextFile {
  /** The file that the path names now, when that is another one and has a line. */
  readonly next: FollowedFile | null;
  /** Why it can't be read; null when it can, or when the path names none. */
  readonly fault: string | null;
}

const NO_NEXT: NextFile = { next: null, fault: null };

async function openNext(path: string, file: FollowedFile): Promise<NextFile> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    if (`${dev}:${ino}` === file.id) return NO_NEXT;
    const next = await FollowedFile.open(path);
    if (next.id !== file.id && (await next.hasLine())) return { next, fault: null };
    await next.close();
    return NO_NEXT;
  } catch (error) {
    return isMissing(error) ? NO_NEXT : { next: null, fault: unreadable(path, error) };
  }
}

async function openIfThere(path: string): Promise<FollowedFile | null> {
  try {
    return await FollowedFile.open(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw new OperatorError(unreadable(path, error), { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function unreadable(path: string, error: unknown): string {
  const code = codeOf(error);
  if (code === 'EINVAL') return `${path} is no regular file: name the audit file`;
  return `${path} can not be read (${code}): look at its path, owner and mode`;
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}
