import type { CliContext } from '../cli-context.ts';

/** Formats the progress after some seconds. */
export type ProgressText = (done: number, total: number, seconds: number) => string;

/** Milliseconds between two updates. */
const INTERVAL_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_TO_END = '\x1b[K';
/** Columns for the text; narrower terminals show no bar. */
const TEXT_WIDTH = 40;

/** A line of a terminal with a bar, percentage and text. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #text: ProgressText;
  readonly #barWidth: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawnAt: number;

  /**
   * @param write to the terminal
   * @param columns maximum width; null: unknown
   * @param now monotonic clock, milliseconds
   */
  constructor(
    write: (text: string) => void,
    text: ProgressText,
    columns: number | null = null,
    now: () => number = () => performance.now(),
  ) {
    this.#write = write;
    this.#text = text;
    this.#barWidth = columns === null ? BAR_WIDTH : Math.max(0, Math.min(BAR_WIDTH, columns - TEXT_WIDTH));
    this.#now = now;
    this.#startedAt = now();
    this.#drawnAt = this.#startedAt;
  }

  /** Updates the line, unless it did so just now. */
  show(done: number, total: number): void {
    const now = this.#now();
    if (now - this.#drawnAt < INTERVAL_MS) return;
    this.#drawnAt = now;
    const share = total === 0 ? 1 : done / total;
    const filled = Math.floor(share * this.#barWidth);
    const bar = this.#barWidth === 0 ? '' : `[${'#'.repeat(filled)}${'.'.repeat(this.#barWidth - filled)}] `;
    const text = this.#text(done, total, (now - this.#startedAt) / 1000);
    this.#write(`\r${bar}${Math.floor(share * 100)} %, ${text}${CLEAR_TO_END}`);
  }

  /** Clears the line. */
  clear(): void {
    if (this.#drawnAt !== this.#startedAt) this.#write(`\r${CLEAR_TO_END}`);
  }
}

/** Shows progress of the work if standard error is a terminal. */
export async function withProgress<Result>(
  { terminal, errors }: Pick<CliContext, 'terminal' | 'errors'>,
  text: ProgressText,
  work: (onProgress: ((done: number, total: number) => void) | undefined) => Promise<Result>,
): Promise<Result> {
  if (terminal === null) return work(undefined);
  const line = new ProgressLine(terminal, text, errors.columns);
  try {
    return await work((done, total) => line.show(done, total));
  } finally {
    line.clear();
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
