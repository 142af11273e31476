import type { CliContext } from '../cli-context.ts';

/** Formats the progress after some seconds. */
export type ProgressText = (done: number, total: number, seconds: number) => string;

/** Milliseconds between two updates. */
const INTERVAL_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_TO_END = '\x1b[K';
/** Columns for the text; narrower terminals show no bar. */
const TEXT_WIDTH = 40;

/**
 * Shows the progress of the work on a line with a bar, percentage and text, if standard error is a
 * terminal.
 */
export async function withProgress<Result>(
  { terminal, errors: { columns } }: Pick<CliContext, 'terminal' | 'errors'>,
  text: ProgressText,
  work: (onProgress: ((done: number, total: number) => void) | undefined) => Promise<Result>,
): Promise<Result> {
  if (terminal === null) return work(undefined);
  const width = Math.max(0, Math.min(BAR_WIDTH, (columns ?? Number.POSITIVE_INFINITY) - TEXT_WIDTH));
  const startedAt = performance.now();
  let drawnAt = startedAt;
  try {
    return await work((done, total) => {
      const now = performance.now();
      if (now - drawnAt < INTERVAL_MS) return;
      drawnAt = now;
      const share = total === 0 ? 1 : done / total;
      const bar = width === 0 ? '' : `[${'#'.repeat(Math.floor(share * width)).padEnd(width, '.')}] `;
      const shown = `${Math.floor(share * 100)} %, ${text(done, total, (now - startedAt) / 1000)}`;
      terminal(`\r${bar}${shown}${CLEAR_TO_END}`);
    });
  } finally {
    if (drawnAt !== startedAt) terminal(`\r${CLEAR_TO_END}`);
  }
}

/** Bytes a second. */
export function formatSpeed(done: number, _total: number, seconds: number): string {
  return `${Math.round(done / 1e6 / seconds)} MB/s`;
}

/** Keys done. */
export function formatKeys(done: number, total: number): string {
  return `${done} of ${total} keys`;
}
