import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { memoizeByObject } from '../model/memoize.ts';
import type { PayloadRule } from '../model/payload.ts';
import type { DataFormat, Platform } from '../model/platform.ts';
import { getSignedMembers } from './unsigned-fields.ts';

/**
 * `shown`: short plain values; `number`: numbers; `target`: short plain texts without their query;
 * `masked`: nothing.
 */
type Visibility = 'shown' | 'number' | 'target' | 'masked';

/** What the audit record shows of one member. */
interface VisibleField {
  /** Of a scalar, by the format. */
  readonly visibility: Visibility;
  /** Shown by the platform where short and plain, else as `visibility`. */
  readonly isCleared: boolean;
  /** Of an object; absent: masked. */
  readonly members?: VisibleFields;
}

/** By name. A Map, so that inherited names never match. */
type VisibleFields = ReadonlyMap<string, VisibleField>;

/** The parts of a platform that decide its masking. */
export type MaskedPlatform = Pick<Platform, 'format' | 'audit'>;

type Shape = { readonly [name: string]: Visibility | Shape };

const UNKNOWN_FIELD: VisibleField = { visibility: 'masked', isCleared: false };

const NO_FIELDS: VisibleFields = new Map();

const ORDER_A: Shape = { type: 'shown', market: 'shown', side: 'shown', amount: 'masked', price: 'masked' };

const ORDER_B: Shape = {
  action: 'shown',
  symbol: 'shown',
  price: 'masked',
  quantity: 'masked',
  timestamp: 'shown',
};

const ORDER_C: Shape = {
  symbol: 'shown',
  side: 'shown',
  type: 'shown',
  quantity: 'masked',
  price: 'masked',
  timestamp: 'shown',
};

const ORDER_D: Shape = { instId: 'shown', side: 'shown', ordType: 'shown', sz: 'masked', px: 'masked' };

const ANY_ORDER: Shape = {
  ...ORDER_A,
  ...ORDER_B,
  ...ORDER_C,
  ...ORDER_D,
  method: 'shown',
  path: 'target',
  endpoint: 'target',
  nonce: 'number',
};

/** A string on some platforms, an object on others. */
const TEXT_OR_OBJECT: VisibleFields = new Map([
  ['instruction', shownOr(ANY_ORDER)],
  ['action', shownOr({ type: 'shown' })],
]);

const FIELDS_OF_FORMAT: { readonly [Format in DataFormat]: VisibleFields } = {
  A: toFields({ instruction: ORDER_A, nonce: 'number', ...ORDER_A }),
  B: toFields({ message: ORDER_B }),
  C: toFields({ method: 'shown', endpoint: 'target', params: ORDER_C }),
  D: toFields({ method: 'shown', path: 'target', timestamp: 'shown', body: ORDER_D }),
  any: new Map([
    ...toFields({
      ...ANY_ORDER,
      message: ANY_ORDER,
      params: ANY_ORDER,
      body: ANY_ORDER,
      domain: { name: 'shown', version: 'shown', chainId: 'shown', verifyingContract: 'shown' },
      primaryType: 'shown',
      text: 'masked',
      hex: 'masked',
      base64: 'masked',
      signDoc: 'masked',
    }),
    ...TEXT_OR_OBJECT,
  ]),
};

/**
 * The allowlist of a platform's audit records, for requests that a rule signs: the fields of its
 * format and its `audit.clear`, without members that the rule does not sign.
 *
 * Memoized: merging 64 paths takes longer than masking. Keyed by platform, which a reload replaces.
 */
const visibleFields = memoizeByObject((platform: MaskedPlatform) => {
  const { format, audit: { clear } = { clear: [] } } = platform;
  const fields = clear.reduce<VisibleFields>(
    (known, path) => addCleared(known, path.split('.')),
    FIELDS_OF_FORMAT[format],
  );
  return memoizeByObject((rule: PayloadRule): VisibleFields => {
    const signed = getSignedMembers(rule);
    return signed === null ? fields : new Map([...fields].filter(([name]) => signed.includes(name)));
  });
});

function addCleared(fields: VisibleFields, [name, ...below]: readonly string[]): VisibleFields {
  if (name === undefined) return fields;
  const field = fields.get(name) ?? UNKNOWN_FIELD;
  const cleared =
    below.length === 0
      ? { ...field, isCleared: true }
      : { ...field, members: addCleared(field.members ?? NO_FIELDS, below) };
  return new Map([...fields, [name, cleared]]);
}

function toFields(shape: Shape): VisibleFields {
  return new Map(Object.entries(shape).map(([name, rule]) => [name, toField(rule)]));
}

function toField(rule: Visibility | Shape): VisibleField {
  if (typeof rule === 'string') return { visibility: rule, isCleared: false };
  return { ...UNKNOWN_FIELD, members: toFields(rule) };
}

function shownOr(members: Shape): VisibleField {
  return { visibility: 'shown', isCleared: false, members: toFields(members) };
}

/** Replaces a masked value in audit records. */
export const MASKED = '[masked]';

/** Replaces all unknown members: the name itself may be a secret. */
const OTHER_MEMBERS = '[other]';

type Masked = { [name: string]: JsonValue };

const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const MAX_SHOWN_LENGTH = 128;

/**
 * Masks `data` for the audit record: who traded what and when, never amounts, prices or free text
 * unless the platform shows them.
 *
 * Only fields that the rule signs and the format or the platform's `audit.clear` allows appear,
 * nested as in the format: finite numbers, booleans and at most 128 printable ASCII characters; a
 * nonce only as a number; a request target without its query (`/orders?[masked]`) unless cleared.
 * Other values, arrays and cleared objects become `[masked]`, unknown members one `"[other]":
 * "[masked]"`. The result's size is bounded by the allowlist. Never throws.
 *
 * @example
 * const data = { instruction: { side: 'buy', price: '9.5' }, secret: 'x' };
 * maskData({ format: 'A' }, data, { rule: 'jcs' });
 * // { instruction: { side: 'buy', price: '[masked]' }, '[other]': '[masked]' }
 * @example with audit: { clear: ['instruction.price'] }, the price is '9.5'
 */
export function maskData(platform: MaskedPlatform, data: JsonObject, rule: PayloadRule): JsonObject {
  return maskMembers(visibleFields(platform)(rule), data);
}

/** Iterates over the smaller of data and allowlist, so that the allowlist bounds the work. */
function maskMembers(fields: VisibleFields, data: JsonObject): JsonObject {
  const names = Object.keys(data);
  const masked: Masked = {};
  let known = 0;
  for (const name of names.length > fields.size ? fields.keys() : names) {
    const field = fields.get(name);
    if (field === undefined || !Object.hasOwn(data, name)) continue;
    known += 1;
    setMember(masked, name, maskValue(field, data[name]));
  }
  if (names.length > known) masked[OTHER_MEMBERS] = MASKED;
  return masked;
}

/** Assigning to `__proto__` would set the prototype. */
function setMember(masked: Masked, name: string, value: JsonValue): void {
  if (name !== '__proto__') masked[name] = value;
  else Object.defineProperty(masked, name, { value, enumerable: true, configurable: true, writable: true });
}

function maskValue(field: VisibleField, value: JsonValue | undefined): JsonValue {
  if (isJsonObject(value)) return field.members === undefined ? MASKED : maskMembers(field.members, value);
  if (field.isCleared && isShowable(value)) return value;
  if (field.visibility === 'shown' && isShowable(value)) return value;
  if (field.visibility === 'number' && typeof value === 'number' && isShowable(value)) return value;
  if (field.visibility === 'target' && typeof value === 'string') return maskTarget(value);
  return MASKED;
}

function isShowable(value: JsonValue | undefined): value is string | number | boolean {
  if (typeof value === 'string') return isShortAndPlain(value);
  return typeof value === 'boolean' || Number.isFinite(value);
}

function isShortAndPlain(text: string): boolean {
  return text.length <= MAX_SHOWN_LENGTH && PLAIN_TEXT.test(text);
}

function maskTarget(target: string): string {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  if (!isShortAndPlain(path)) return MASKED;
  return queryStart === -1 ? path : `${path}?${MASKED}`;
}
