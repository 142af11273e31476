import type { AuditRecord } from '../../../audit-trail/audit-record.ts';
import type { ChainedRecord } from '../../../audit-trail/signed-record.ts';

/**
 * Symbols under which winston's transports find the level and the finished text of an `info`
 * (https://github.com/winstonjs/triple-beam).
 */
export const LEVEL = Symbol.for('level');
export const MESSAGE = Symbol.for('message');

/** An audit record as winston carries it: the record itself, and its line as finished text. */
export interface RecordInfo extends AuditRecord {
  readonly [LEVEL]: 'info';
  /** Without a newline. */
  readonly [MESSAGE]: string;
}

/** The `info` of a record, of which every winston transport prints the very line of the file. */
export function toRecordInfo({ record, line }: ChainedRecord): RecordInfo {
  return Object.assign(record, { [LEVEL]: 'info', [MESSAGE]: line } as const);
}
