import type { Outcome } from '../domain/model/outcome.ts';
import type { ReloadTrigger } from '../domain/model/reload-note.ts';
import type { CallContext } from '../domain/model/sign-request.ts';
import type { ReloadHistory } from '../domain/services/reload-history.ts';
import type { ReloadResult, ReloadService } from '../domain/services/reload-service.ts';
import { FileWatch, type WatchTimes } from '../files/file-watch.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { ServiceLog } from '../ports/service-log.ts';

/** Most files that are checked twice a second. */
const MOST_FILES = 256;

/**
 * Time until a reload that failed for a reason outside of the files is retried, milliseconds:
 * doubled with each failure.
 */
const RETRY_MS = { first: 1000, max: 30_000 };

/** What {@link WatchedReloads} work with. */
export interface WatchedReloadsParts {
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly history: ReloadHistory;
  readonly source: Pick<CredentialSource, 'files' | 'onFiles'>;
  readonly log: ServiceLog;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
  /** For tests: shorter times. */
  readonly times?: { readonly watch?: Partial<WatchTimes>; readonly retry?: typeof RETRY_MS };
}

/**
 * Reloads by request and, with SIGNING_WATCH, whenever a file of the configuration has changed;
 * then it also retries a reload that failed for a reason outside of the files, such as an audit
 * file that can't be written.
 */
export class WatchedReloads {
  readonly #parts: WatchedReloadsParts;
  readonly #watch: FileWatch;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;
  #warned = false;

  constructor(parts: WatchedReloadsParts) {
    this.#parts = parts;
    this.#watch = new FileWatch(() => this.#reloadByItself(), parts.times?.watch);
    parts.source.onFiles(() => this.#follow());
  }

  /**
   * As {@link ReloadService.reload}. It covers every change up to now; what changes from now on
   * triggers another.
   */
  async reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#follow();
    await this.#watch.catchUp();
    const outcome = await this.#parts.reloads.reload(trigger, context);
    this.#planRetry();
    return outcome;
  }

  /** Ends the watch. Safe to call twice. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#watch.stop();
  }

  async #reloadByItself(): Promise<void> {
    await this.reload('watch', null).catch((cause: unknown) => {
      this.#parts.log.error('A reload ended in an unexpected error.', { cause });
    });
  }

  #planRetry(): void {
    const { watch, history, times } = this.#parts;
    clearTimeout(this.#retry);
    if (!history.last?.isTransient) this.#failures = 0;
    else if (watch && !this.#isStopped) {
      const { first, max } = times?.retry ?? RETRY_MS;
      const delay = Math.min(first * 2 ** this.#failures, max);
      this.#failures += 1;
      this.#retry = setTimeout(() => void this.#reloadByItself(), delay).unref();
    }
  }

  #follow(): void {
    const { source, log, watch } = this.#parts;
    if (!watch || this.#isStopped) return;
    const { files } = source;
    this.#watch.watch(files.slice(0, MOST_FILES));
    if (files.length <= MOST_FILES || this.#warned) return;
    this.#warned = true;
    log.warn(
      `The configuration consists of ${files.length} files, of which the first ${MOST_FILES} are watched. When another key file changes, reload by POST /api/v1/config/reload or SIGHUP, or seal the keys with \`signing-service account add --key-file\`.`,
    );
  }
}
