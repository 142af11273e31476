import { FileWatch, type WatchTimes } from '../../adapters/files/file-watch.ts';
import type { Outcome } from '../../domain/model/outcome.ts';
import type { ReloadTrigger } from '../../domain/model/service-state.ts';
import type { CallContext } from '../../domain/model/sign-request.ts';
import type { ReloadResult } from '../../domain/services/registry-changes.ts';
import type { ReloadHistory, ReloadService } from '../../domain/services/reload-service.ts';
import type { CredentialSource } from '../../ports/credential-source.ts';
import type { ServiceLog } from '../../ports/service-log.ts';

/** Files that are watched at most. */
const MAX_FILES = 256;

/** Delay before a reload with a transient failure is retried, milliseconds; doubles each time. */
const RETRY_MS = { first: 1000, max: 30_000 };

/** Dependencies of {@link WatchedReloads}. */
export interface WatchedReloadsParts {
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly history: ReloadHistory;
  readonly source: Pick<CredentialSource, 'files' | 'onFiles'>;
  readonly log: ServiceLog;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
  /** Shorter times for tests. */
  readonly times?: { readonly watch?: Partial<WatchTimes>; readonly retry?: typeof RETRY_MS };
}

/**
 * Reloads on request and, with SIGNING_WATCH, when a file changes; the latter also retries
 * transient failures, such as a key service or an audit file that is not available.
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
    this.#watch = new FileWatch(() => this.#reloadAfterChange(), parts.times?.watch);
    parts.source.onFiles(() => this.#watchFiles());
  }

  /**
   * As {@link ReloadService.reload}. Covers all changes so far; later ones trigger another reload.
   */
  async reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#watchFiles();
    await this.#watch.markSeen();
    const outcome = await this.#parts.reloads.reload(trigger, context);
    this.#scheduleRetry();
    return outcome;
  }

  /** Stops watching. Safe to call twice. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    this.#watch.stop();
  }

  async #reloadAfterChange(): Promise<void> {
    await this.reload('watch', null).catch((cause: unknown) => {
      this.#parts.log.error('Reload failed with an unexpected error.', { cause });
    });
  }

  #scheduleRetry(): void {
    const { watch, history, times } = this.#parts;
    clearTimeout(this.#retry);
    if (!history.last?.isTransient) this.#failures = 0;
    else if (watch && !this.#isStopped) {
      const { first, max } = times?.retry ?? RETRY_MS;
      const delay = Math.min(first * 2 ** this.#failures, max);
      this.#failures += 1;
      this.#retry = setTimeout(() => void this.#reloadAfterChange(), delay).unref();
    }
  }

  #watchFiles(): void {
    const { source, log, watch } = this.#parts;
    if (!watch || this.#isStopped) return;
    const { files } = source;
    this.#watch.watch(files.slice(0, MAX_FILES));
    if (files.length <= MAX_FILES || this.#warned) return;
    this.#warned = true;
    log.warn(
      `The configuration has ${files.length} files; only the first ${MAX_FILES} are watched. When another key file changes, reload with POST /api/v1/config/reload or SIGHUP, or seal the keys with \`signing-service account add --key-file\`.`,
    );
  }
}
