import type { Outcome } from '../domain/model/outcome.ts';
import type { ReloadTrigger } from '../domain/model/reload-note.ts';
import type { CallContext } from '../domain/model/sign-request.ts';
import type { ReloadResult, ReloadService } from '../domain/services/reload-service.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { ServiceLog } from '../ports/service-log.ts';

/** Most files that are looked at twice a second. */
const MOST_FILES = 256;

/** What {@link WatchedReloads} work with. */
export interface WatchedReloadsParts {
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly source: Pick<CredentialSource, 'files'>;
  readonly log: ServiceLog;
  /** Setting SIGNING_WATCH. */
  readonly watch: boolean;
}

/** Reloads by request and, where that is wished, whenever a file of the configuration has changed. */
export class WatchedReloads {
  readonly #parts: WatchedReloadsParts;
  readonly #watch: FileWatch;
  #warned = false;

  constructor(parts: WatchedReloadsParts) {
    this.#parts = parts;
    this.#watch = new FileWatch(async () => {
      await this.reload('watch', null).catch((cause: unknown) => {
        parts.log.error('A reload ended in an unexpected error.', { cause });
      });
    });
  }

  /** As {@link ReloadService.reload}. What the files say by now is read by it; what changes from now on is another change. */
  async reload(trigger: ReloadTrigger, context: CallContext | null): Promise<Outcome<ReloadResult>> {
    this.#follow();
    await this.#watch.catchUp();
    try {
      return await this.#parts.reloads.reload(trigger, context);
    } finally {
      this.#follow();
    }
  }

  /** Ends the watch. Safe to call twice. */
  stop(): void {
    this.#watch.stop();
  }

  #follow(): void {
    const { source, log, watch } = this.#parts;
    if (!watch) return;
    const { files } = source;
    this.#watch.watch(files.slice(0, MOST_FILES));
    if (files.length <= MOST_FILES || this.#warned) return;
    this.#warned = true;
    log.warn(
      `The configuration consists of ${files.length} files, of which the first ${MOST_FILES} are watched. When another key file changes, reload by POST /api/v1/config/reload or SIGHUP, or seal the keys with \`signing-service account add --key-file\`.`,
    );
  }
}
