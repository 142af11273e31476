import type { AuditProgress } from '../../../ports/audit-verifier.ts';

/** Least time between two drawings, milliseconds. */
const INTERVAL_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_TO_END = '\x1b[K';

/** One line of a terminal that is rewritten while work goes on: a bar, percent and speed. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  readonly #startedAt: number;
  #drawnAt: number;

  /**
   * @param write to the terminal
   * @param now a monotonic clock, milliseconds
   */
  constructor(write: (text: string) => void, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
    this.#startedAt = now();
    this.#drawnAt = this.#startedAt;
  }

  /** Draws, unless it did so a moment ago. */
  show({ verified, total }: AuditProgress): void {
    const now = this.#now();
    if (now - this.#drawnAt < INTERVAL_MS) return;
    this.#drawnAt = now;
    const share = total === 0 ? 1 : verified / total;
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
    const speed = Math.round(verified / 1000 / (now - this.#startedAt));
    this.#write(`\r[${bar}] ${Math.floor(share * 100)} %, ${speed} MB/s${CLEAR_TO_END}`);
  }

  /** Leaves the line empty, if anything was drawn. */
  clear(): void {
    if (this.#drawnAt !== this.#startedAt) this.#write(`\r${CLEAR_TO_END}`);
  }
}
