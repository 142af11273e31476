import { setTimeout } from 'node:timers/promises';
import type { Line } from '../segments/lines.ts';
import { CompressionError, type SegmentReader } from '../segments/segment-reader.ts';
import { Fault, toReadError } from './failures.ts';

/** The issue of an incomplete line. */
export const INCOMPLETE = 'is incomplete: the file was cut, or the service was killed while writing it';
/** Between two attempts to read the rest of a line. */
const PAUSE_MS = 20;

/**
 * Complete lines of a file that the service may be writing, in blocks.
 * At the end of the file, waits for the rest of a line and for `isComplete`, but not for later
 * lines.
 * @param name printable path
 * @param timeoutMs how long to wait at the end, milliseconds
 * @throws Fault for an incomplete last line or a damaged gzip file; OperatorError when it cannot be
 * read
 */
export async function* settledLines(
  reader: SegmentReader,
  name: string,
  timeoutMs: number,
  isComplete: () => boolean,
): AsyncGenerator<readonly Line[]> {
  let deadline: number | null = null;
  let count = 0;
  for (let end = 0; ; await setTimeout(PAUSE_MS)) {
    for await (const block of readBlocks(reader, name, end)) {
      // Once the end was reached, any line may be the last one to wait for.
      for (const lines of deadline === null ? [block.lines] : block.lines.map((line) => [line])) {
        yield lines;
        if (deadline !== null && isComplete()) return;
      }
      count += block.lines.length;
      end = block.end;
    }
    const isWhole = reader.contentEnd === end;
    if (isWhole && isComplete()) return;
    deadline ??= performance.now() + timeoutMs;
    if (!reader.isCompressed && performance.now() < deadline) continue;
    if (isWhole) return;
    throw new Fault(name, count + 1, INCOMPLETE);
  }
}

async function* readBlocks(reader: SegmentReader, name: string, from: number) {
  try {
    yield* reader.lines(from);
  } catch (error) {
    if (error instanceof CompressionError) throw new Fault(name, null, error.message);
    throw toReadError('audit file', name, error);
  }
}
