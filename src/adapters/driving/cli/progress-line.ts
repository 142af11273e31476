import type { CliContext } from './cli-context.ts';

/** What stands behind the bar: of so much that is done, of so much in all, in so many seconds. */
export type ProgressText = (done: number, total: number, seconds: number) => string;

/** Least time between two drawings, milliseconds. */
const INTERVAL_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_TO_END = '\x1b[K';
/** Room for what stands beside the bar; on narrower terminals there is no bar. */
const TEXT_WIDTH = 40;

/** One line of a terminal that is rewritten while work goes on: a bar, percent and a text. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #text: ProgressText;
  readonly #barWidth: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawnAt: number;

  /**
   * @param write to the terminal
   * @param columns width of the terminal, which the line does not exceed; null: not known
   * @param now a monotonic clock, milliseconds
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

  /** Draws, unless it did so a moment ago. */
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

  /** Leaves the line empty, if anything was drawn. */
  clear(): void {
    if (this.#drawnAt !== this.#startedAt) this.#write(`\r${CLEAR_TO_END}`);
  }
}

/** Does work that tells how far it is, with a line on the terminal at standard error; where that is none, nothing is told. */
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

/** Bytes of so many: how fast they are read. */
export function speedText(done: number, _total: number, seconds: number): string {
  return `${Math.round(done / 1e6 / seconds)} MB/s`;
}

/** Steps of so many. */
export function stepsText(done: number, total: number): string {
  return `${done} of ${total} steps`;
}

/** Keys of so many. */
export function keysText(done: number, total: number): string {
  return `${done} of ${total} keys`;
}
