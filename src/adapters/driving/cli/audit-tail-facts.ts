import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import type { FollowedRecord } from '../../../ports/audit-follower.ts';
import { plainOrQuoted } from './plain-or-quoted.ts';

/** Deeper values are not shown. */
const MAX_DEPTH = 8;
/** A signed note of a checkpoint: name of the log, number of the last record that it covers. */
const NOTE = /^[^\n]*\n(\d+)\n/;

/** What a record's `data` says, for people: `symbol=BTCUSDT order.side=buy price=[masked]`; of a checkpoint and a segment, what they do. */
export function factsText({ event, data }: FollowedRecord): string {
  if (data === null) return '';
  const { note, reason, auditPublicKey, ...rest } = data;
  const covered = typeof note === 'string' ? NOTE.exec(note)?.[1] : undefined;
  if (event === 'checkpoint' && covered !== undefined) return `covers the records up to ${covered}`;
  if (event === 'segment' && typeof reason === 'string') {
    return `begins a file: ${reason}${typeof auditPublicKey === 'string' ? `, public key ${auditPublicKey}` : ''}`;
  }
  return pairs(event === 'sign' || note === undefined ? data : rest, '', 0).join(' ');
}

function pairs(object: JsonObject, prefix: string, depth: number): readonly string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const path = `${prefix}${plainOrQuoted(name)}`;
    return isObject(value) && depth < MAX_DEPTH && Object.keys(value).length > 0
      ? pairs(value, `${path}.`, depth + 1)
      : [`${path}=${valueText(value, depth)}`];
  });
}

function valueText(value: JsonValue, depth: number): string {
  if (typeof value === 'string') return value === '[masked]' ? value : plainOrQuoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= MAX_DEPTH) return '…';
  if (!isObject(value)) return `[${value.map((item) => valueText(item, depth + 1)).join(',')}]`;
  return `{${pairs(value, '', depth + 1).join(' ')}}`;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
