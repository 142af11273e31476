import { FileWatch, type WatchTimes } from '../../adapters/files/file-watch.ts';
import type { ReloadTarget } from '../../domain/flow/reloadable.ts';
import type { ReloadTrigger } from '../../domain/model/service-state.ts';
import type { CallContext } from '../../domain/model/sign-request.ts';
import type { ServiceLog } from '../../ports/service-log.ts';

/** Maximum number of watched files. */
const MAX_FILES = 256;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Delay before a failed reload is retried, milliseconds; doubles each time. */
const RETRY_MS = { first: 1000, max: 30_000 };

/** Log, switch and times of watched files. */
export interface WatchOptions {
  readonly log: ServiceLog;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
  /** Shorter times for tests. */
  readonly times?: { readonly watch?: Partial<WatchTimes>; readonly retry?: typeof RETRY_MS };
}

/**
 * Reloads on request and, with SIGNING_WATCH, when a file changes; retries failures that may pass,
 * and checks daily. Does not keep the process alive.
 */
export class WatchedReloads<Target extends ReloadTarget<Result>, Result = unknown> {
  readonly target: Target;
  readonly #options: WatchOptions;
  readonly #listFiles: () => readonly string[];
  readonly #watch: FileWatch;
  readonly #daily: NodeJS.Timeout;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;
  #hasWarned = false;

  /**
   * @param listFiles the files that `open` and reloads read
   * @throws what `open` throws
   */
  constructor(options: WatchOptions, listFiles: () => readonly string[], open: () => Target & ReloadTarget<Result>) {
    this.#options = options;
    this.#listFiles = listFiles;
    this.#watch = new FileWatch(() => this.#reloadQuietly('watch'), options.times?.watch);
    // First, so that no change is missed.
    this.watchFiles();
    try {
      this.target = open();
    } catch (error) {
      this.#watch.stop();
      throw error;
    }
    this.target.check?.();
    this.#daily = setInterval(() => this.target.check?.(), DAY_MS).unref();
  }

  /**
   * Covers all changes so far; later ones trigger another reload. A retry covers none, since it may
   * load only what has failed.
   */
  async reload(trigger: ReloadTrigger | 'retry', context: CallContext | null = null): Promise<Result> {
    this.watchFiles();
    if (trigger !== 'retry') await this.#watch.markSeen();
    const result = await this.target.reload(trigger, context);
    this.#scheduleRetry();
    return result;
  }

  /** Watches the current list of files: their later changes count as changes. */
  watchFiles(): void {
    const { log, watch } = this.#options;
    if (!watch || this.#isStopped) return;
    const files = this.#listFiles();
    this.#watch.watch(files.slice(0, MAX_FILES));
    if (files.length <= MAX_FILES || this.#hasWarned) return;
    this.#hasWarned = true;
    log.warn(
      `The configuration has ${files.length} files; only the first ${MAX_FILES} are watched. When another key file changes, reload with POST /api/v1/config/reload or SIGHUP, or seal the keys with \`signing-service account add --key-file\`.`,
    );
  }

  /** Safe to call twice. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#daily);
    this.#watch.stop();
  }

  async #reloadQuietly(trigger: 'watch' | 'retry'): Promise<void> {
    await this.reload(trigger).catch((cause: unknown) => {
      this.#options.log.error(
        'Reload failed with an unexpected error.',
        { cause },
        { topic: 'unexpected reload errors' },
      );
    });
  }

  #scheduleRetry(): void {
    clearTimeout(this.#retry);
    if (!this.target.mayRetry) this.#failures = 0;
    else if (!this.#isStopped) {
      const { first, max } = this.#options.times?.retry ?? RETRY_MS;
      const delay = Math.min(first * 2 ** this.#failures, max);
      this.#failures += 1;
      this.#retry = setTimeout(() => void this.#reloadQuietly('retry'), delay).unref();
    }
  }
}
