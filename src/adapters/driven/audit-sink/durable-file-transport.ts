import Transport from 'winston-transport';
import { sha256Of } from '../../../audit-trail/audit-record.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { AuditFileMaintenance } from './audit-file-maintenance.ts';
import { MESSAGE, type RecordInfo } from './record-info.ts';

/** Learns what becomes of each group of records. */
export interface GroupListener {
  /** Called in the very turn in which the head of the file moves. */
  onDurable(): void;
  /** Called last: null when the group is durable, else why not. */
  onSettled(error: AuditUnavailableError | null): void;
}

/**
 * A winston transport for records that must survive: it collects their lines up to the signed one,
 * which ends a group commit, appends these at once, durably, checks that the file is still in its
 * place, and only then reports the group as durable. The next group must not come before that.
 */
export class DurableFileTransport extends Transport {
  readonly #file: AuditFileMaintenance;
  readonly #listener: GroupListener;
  #lines = '';

  constructor(file: AuditFileMaintenance, listener: GroupListener) {
    super();
    this.#file = file;
    this.#listener = listener;
  }

  /**
   * Takes a record from winston. `next` never gets an error: winston would detach the transport.
   */
  override log(info: RecordInfo, next: () => void): void {
    this.#lines += `${info[MESSAGE]}\n`;
    if (info.sig !== undefined) void this.#append(info);
    next();
  }

  async #append({ seq, [MESSAGE]: lastLine }: RecordInfo): Promise<void> {
    const lines = this.#lines;
    this.#lines = '';
    const head = { seq, hash: sha256Of(lastLine) };
    this.#listener.onSettled(await this.#file.write(lines, head, () => this.#listener.onDurable()));
  }
}
