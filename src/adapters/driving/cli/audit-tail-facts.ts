import type { FollowedRecord } from '../../../domain/model/audit-sighting.ts';
import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { plainOrQuoted } from './plain-or-quoted.ts';

/** Deeper values are not shown. */
const MAX_DEPTH = 8;

/**
 * What a record's `data` says, for people: `symbol=BTCUSDT order.side=buy price=[masked]`; of a
 * segment, what it does.
 */
export function factsText({ event, data }: FollowedRecord): string {
  if (data === null) return '';
  const { reason, auditPublicKey } = data;
  if (event === 'segment' && typeof reason === 'string') {
    return `begins a file: ${reason}${typeof auditPublicKey === 'string' ? `, public key ${auditPublicKey}` : ''}`;
  }
  return pairs(data, '', 0).join(' ');
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
