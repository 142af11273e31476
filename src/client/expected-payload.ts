import { canonicalJson } from './canonical-json.ts';
import type { ExpectedPayload } from './client-options.ts';
import type { JsonObject } from './json.ts';

/** Rules that have a name here. */
export const NAMED_RULES: readonly ExpectedPayload[] = ['jcs', 'json', 'raw'];

/** The bytes that a rule makes of the data; a TypeError where it can't. */
export function expectedBytes(rule: ExpectedPayload, data: JsonObject): Buffer {
  if (typeof rule === 'function') {
    const made = rule(data);
    return typeof made === 'string' ? Buffer.from(made, 'utf8') : Buffer.from(made);
  }
  if (rule === 'jcs') return Buffer.from(canonicalJson(data), 'utf8');
  if (rule === 'json') return Buffer.from(JSON.stringify(data), 'utf8');
  return rawBytes(data);
}

/** Rule `raw`: one of `text`, `hex`, with `0x` or without, and `base64`. */
function rawBytes({ text, hex, base64 }: JsonObject): Buffer {
  if (typeof text === 'string') return Buffer.from(text, 'utf8');
  if (typeof hex === 'string') return Buffer.from(hex.startsWith('0x') ? hex.slice(2) : hex, 'hex');
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw new TypeError('data has to be one of { text }, { hex } and { base64 } on a platform of rule raw.');
}
