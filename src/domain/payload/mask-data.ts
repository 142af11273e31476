import type { JsonObject, JsonValue } from '../model/json.ts';
import { isJsonObject } from './json-object.ts';
import { type MaskedPlatform, type VisibleField, type VisibleFields, visibleFields } from './visible-fields.ts';

/** What stands on an audit record in place of a value that must not. */
export const MASKED = '[masked]';

/** Stands for every member whose name neither the format nor the platform knows: the name itself may be a secret. */
export const OTHER_MEMBERS = '[other]';

type Masked = { [name: string]: JsonValue };

const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const MAX_SHOWN_LENGTH = 128;

/**
 * `data` as it may stand on an audit record: who traded what kind of thing and when, never how much, at which price, or in which words,
 * unless the platform clears that.
 *
 * Only fields that the format knows appear, in the format's own nesting, and those that the platform's `audit.clear` names. Those on either allowlist
 * show finite numbers, booleans and texts of at most 128 printable ASCII characters (a nonce only as a number); a request target loses its query
 * (`/orders?[masked]`) unless it is cleared. Every other value is `[masked]`, an array or an object that is itself cleared included, and all members
 * that are not known are one entry `"[other]": "[masked]"`.
 *
 * The result is bounded by the format and the platform's list, whatever `data` is. Never throws, also for what no rule would sign.
 *
 * @example maskData({ format: 'A' }, { instruction: { type: 'order', price: '9.5' }, apiSecret: 'x' })
 * // { instruction: { type: 'order', price: '[masked]' }, '[other]': '[masked]' }
 * @example maskData({ format: 'A', audit: { clear: ['instruction.price'] } }, { instruction: { type: 'order', price: '9.5' } })
 * // { instruction: { type: 'order', price: '9.5' } }
 */
export function maskData(platform: MaskedPlatform, data: JsonObject): JsonObject {
  return maskMembers(visibleFields(platform), data);
}

/** Looks at the members that the data has where those are fewer, which is nearly always; so what this takes is bounded by the allowlist too. */
function maskMembers(fields: VisibleFields, data: JsonObject): JsonObject {
  const names = Object.keys(data);
  const masked: Masked = {};
  let known = 0;
  for (const name of names.length > fields.size ? fields.keys() : names) {
    const field = fields.get(name);
    if (field === undefined || !Object.hasOwn(data, name)) continue;
    known += 1;
    define(masked, name, maskValue(field, data[name]));
  }
  if (names.length > known) masked[OTHER_MEMBERS] = MASKED;
  return masked;
}

/** An assignment to a member named __proto__ would set the prototype. */
function define(masked: Masked, name: string, value: JsonValue): void {
  if (name !== '__proto__') masked[name] = value;
  else Object.defineProperty(masked, name, { value, enumerable: true, configurable: true, writable: true });
}

function maskValue(field: VisibleField, value: JsonValue | undefined): JsonValue {
  if (isJsonObject(value)) return field.members === undefined ? MASKED : maskMembers(field.members, value);
  if (field.isCleared && isShowable(value)) return value;
  if (field.visibility === 'shown' && isShowable(value)) return value;
  if (field.visibility === 'number' && typeof value === 'number' && isShowable(value)) return value;
  if (field.visibility === 'target' && typeof value === 'string') return shownTarget(value);
  return MASKED;
}

function isShowable(value: JsonValue | undefined): value is string | number | boolean {
  if (typeof value === 'string') return isShortAndPlain(value);
  return typeof value === 'boolean' || Number.isFinite(value);
}

function isShortAndPlain(text: string): boolean {
  return text.length <= MAX_SHOWN_LENGTH && PLAIN_TEXT.test(text);
}

function shownTarget(target: string): string {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  if (!isShortAndPlain(path)) return MASKED;
  return queryStart === -1 ? path : `${path}?${MASKED}`;
}
