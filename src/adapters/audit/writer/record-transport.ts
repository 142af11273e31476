import Transport from 'winston-transport';
import { type AuditRecord, FORMAT_VERSION, type RecordEntry } from '../../../domain/model/audit-entry.ts';
import type { ChainedRecord } from '../record/signed-record.ts';
import type { Modification } from './audit-errors.ts';
import type { OpenSegment } from './open-segment.ts';

/** Winston's keys of level and finished text (https://github.com/winstonjs/triple-beam). */
const LEVEL = Symbol.for('level');
const MESSAGE = Symbol.for('message');

/** A record as winston's `info`: its fields, and its line as the finished text. */
export interface RecordInfo extends AuditRecord {
  readonly [LEVEL]: 'info';
  readonly [MESSAGE]: string;
}

/**
 * The `info` of a record in its place in the chain.
 * @param prevHash hash of the record before it
 */
export function toInfo(entry: RecordEntry, chained: ChainedRecord, prevHash: string | null): RecordInfo {
  const { line, head, checkpoint } = chained;
  const info = { v: FORMAT_VERSION, seq: head.seq, ...entry, prevHash, [LEVEL]: 'info', [MESSAGE]: line } as const;
  return checkpoint === null ? info : { ...info, sig: checkpoint.sig };
}

/**
 * Winston's transport to the audit file: appends each group of records in one write, when its last
 * record arrives, which is the only signed one.
 */
export class RecordTransport extends Transport {
  #lines = '';
  #append: (lines: string) => void = () => undefined;

  /**
   * Appends the group that is logged next to this segment.
   * @returns as {@link OpenSegment.append}
   */
  nextGroup(segment: OpenSegment): Promise<Modification | null> {
    this.#lines = '';
    return new Promise((resolve, reject) => {
      this.#append = (lines) => void segment.append(lines).then(resolve, reject);
    });
  }

  /** `next` never gets an error: winston would detach the transport. */
  override log(info: RecordInfo, next: () => void): void {
    this.#lines += `${info[MESSAGE]}\n`;
    if (info.sig !== undefined) this.#append(this.#lines);
    next();
  }
}
