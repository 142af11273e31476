import { setTimeout as sleep } from 'node:timers/promises';
import type { FollowerEvent, FollowRequest } from '../../../domain/model/audit-entry.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { readFileIdentity, UnsuitableFileError } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { ChainReader, followerNotice } from './chain-reader.ts';
import { findStart, type Start } from './find-start.ts';
import { FollowedFile } from './followed-file.ts';
import { openNewest, RotatedFiles } from './rotated-files.ts';

const POLL_MS = 200;

/**
 * Follows the audit file by path, like `tail -F`, and its chain across files. Yields each record
 * once, in order, through renames and truncations; reports missing records. Polls: `fs.watch`
 * misses remote writes.
 */
export class AuditFollower {
  readonly #pollMs: number;

  constructor(pollMs = POLL_MS) {
    this.#pollMs = pollMs;
  }

  /** @throws OperatorError when the file cannot be read, or is missing without `follow` */
  async *follow(request: FollowRequest): AsyncGenerator<FollowerEvent> {
    const start = yield* this.#begin(request);
    if (start === null) return;
    const { file: path, follow, signal } = request;
    const chain = new ChainReader(request);
    let { file } = start;
    let lastIssue: string | null = null;
    try {
      await chain.startAt(start);
      while (!signal.aborted) {
        yield* chain.readOn(file);
        const { next, issue } = await openNext(path, file);
        if (issue !== null && issue !== lastIssue) yield followerNotice(issue);
        lastIssue = issue;
        if (next === null && !follow) return;
        if (next === null) {
          await sleep(this.#pollMs);
          continue;
        }
        try {
          // The old file may have grown before the new one had a line.
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

  /** Finds the start; waits for a missing file. Null when aborted. */
  async *#begin(request: FollowRequest): AsyncGenerator<FollowerEvent, Start | null> {
    const { file: path, follow, signal } = request;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const rotatedFiles = new RotatedFiles(path);
      const file =
        (await openIfExists(path)) ??
        (await rotatedFiles.find(false, (segments) => openNewest(path, segments)))?.file ??
        null;
      if (file !== null) return findStart(file, isFirst ? request : { ...request, ...EVERYTHING });
      if (!follow) throw new OperatorError(`${path} does not exist: give the path of the audit file.`);
      if (isFirst) yield followerNotice(`waiting for ${path}, which does not exist yet`);
      await sleep(this.#pollMs);
    }
    return null;
  }
}

/** In a chain that had to be waited for, everything is new. */
const EVERYTHING = { from: { lines: Number.POSITIVE_INFINITY }, isWanted: null };

interface NextFile {
  /** Another file at the path now, once it has a line. */
  readonly next: FollowedFile | null;
  /** Why it cannot be read, or null. */
  readonly issue: string | null;
}

const NO_NEXT: NextFile = { next: null, issue: null };

async function openNext(path: string, file: FollowedFile): Promise<NextFile> {
  try {
    if ((await readFileIdentity(path)) === file.id) return NO_NEXT;
    const next = await FollowedFile.open(path);
    if (next.id !== file.id && (await next.hasLine())) return { next, issue: null };
    await next.close();
    return NO_NEXT;
  } catch (error) {
    return isMissing(error) ? NO_NEXT : { next: null, issue: formatReadError(path, error) };
  }
}

async function openIfExists(path: string): Promise<FollowedFile | null> {
  try {
    return await FollowedFile.open(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw new OperatorError(formatReadError(path, error), { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT';
}

function formatReadError(path: string, error: unknown): string {
  if (error instanceof UnsuitableFileError) return `${path} is not a regular file: give the path of the audit file`;
  const code = systemErrorCode(error);
  if (code === 'unknown error') throw error;
  return `${path} cannot be read (${code}): check its path, owner and mode`;
}
