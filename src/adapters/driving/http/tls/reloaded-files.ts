import { OperatorError } from '../../../../domain/model/errors.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';

/** How the last reload of the files went. */
type LastReload = {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly outcome: 'success' | 'failed';
  readonly message?: string;
};

/** When what is in force was read, and how the last reload went; null before the first. */
export interface ReloadedFilesReport {
  /** ISO 8601 UTC. */
  readonly loadedAt: string;
  readonly lastReload: LastReload | null;
}

/** What {@link ReloadedFiles} work with. */
export interface ReloadedFilesParts<Content> {
  /** Begins what the service log says of a reload that failed: `The HTTPS certificate stays as it was.` */
  readonly unchanged: string;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /**
   * @param now milliseconds since 1970-01-01T00:00:00Z. @throws OperatorError that names the
   * setting, the file and what to do
   */
  read(now: number): Content;
  /**
   * Puts what was read in force, in the place of what is. @throws OperatorError when it must not
   * take that place
   */
  use(next: Content, current: Content, now: number): void;
}

/** What files say while the service runs: read at the start, and again when they have changed. What can't be used changes nothing; the service log and `report` say so. */
export class ReloadedFiles<Content> {
  readonly #parts: ReloadedFilesParts<Content>;
  #current: Content;
  #loadedAt: string;
  #lastReload: LastReload | null = null;
  /** What the service log was told last of a reload that failed; null once one succeeded. */
  #toldFailure: string | null = null;

  /** @throws OperatorError */
  constructor(parts: ReloadedFilesParts<Content>) {
    this.#parts = parts;
    this.#current = parts.read(parts.clock.now());
    this.#loadedAt = this.#time();
  }

  /** What is in force. */
  get current(): Content {
    return this.#current;
  }

  /** Whether the last reload failed. */
  get hasFailed(): boolean {
    return this.#lastReload?.outcome === 'failed';
  }

  /** When what is in force was read, and how the last reload went. */
  get report(): ReloadedFilesReport {
    return { loadedAt: this.#loadedAt, lastReload: this.#lastReload };
  }

  /** Reads the files anew. Never throws. @returns whether what they say is in force now */
  reload(): boolean {
    this.#toldFailure = null;
    return this.#reload();
  }

  /** Tries again where the last reload failed; the same failure is not told again. @returns whether what they say came into force */
  retry(): boolean {
    return this.hasFailed && this.#reload();
  }

  #reload(): boolean {
    const { read, use, clock, log, unchanged } = this.#parts;
    const now = clock.now();
    try {
      const next = read(now);
      use(next, this.#current, now);
      this.#current = next;
      this.#loadedAt = this.#time();
      this.#lastReload = { at: this.#loadedAt, outcome: 'success' };
      this.#toldFailure = null;
      return true;
    } catch (error) {
      const message = error instanceof OperatorError ? error.message : 'An unexpected error; the service log has it.';
      this.#lastReload = { at: this.#time(), outcome: 'failed', message };
      if (message === this.#toldFailure) return false;
      this.#toldFailure = message;
      log.error(`${unchanged} ${message}`, error instanceof OperatorError ? {} : { cause: error });
      return false;
    }
  }

  #time(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}
