import type { DataFormat } from '../model/data-format.ts';
import type { Platform } from '../model/platform.ts';

/** `shown`: short plain values; `number`: numbers; `target`: short plain texts without the query of a request target; `masked`: never. */
export type Visibility = 'shown' | 'number' | 'target' | 'masked';

/** What may be seen of one member of a request's data. */
export interface VisibleField {
  /** Of a value that is neither object nor array, by the format. */
  readonly visibility: Visibility;
  /** The platform clears it: `shown`, and as `visibility` says where its value is not short and plain. */
  readonly isCleared: boolean;
  /** Of an object; absent: nothing. */
  readonly members?: VisibleFields;
}

/** Members by name. Not an object, so that no name is one that objects inherit. */
export type VisibleFields = ReadonlyMap<string, VisibleField>;

/** What the masking of a platform's data depends on. */
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

/** Members that are a text in the requests of some platforms and an object in those of others. */
const TEXT_OR_OBJECT: VisibleFields = new Map([
  ['instruction', shownOr(ANY_ORDER)],
  ['action', shownOr({ type: 'shown' })],
]);

const FIELDS_OF_FORMAT: { readonly [Format in DataFormat]: VisibleFields } = {
  A: fieldsOf({ instruction: ORDER_A, nonce: 'number', ...ORDER_A }),
  B: fieldsOf({ message: ORDER_B }),
  C: fieldsOf({ method: 'shown', endpoint: 'target', params: ORDER_C }),
  D: fieldsOf({ method: 'shown', path: 'target', timestamp: 'shown', body: ORDER_D }),
  any: new Map([
    ...fieldsOf({
      ...ANY_ORDER,
      message: ANY_ORDER,
      params: ANY_ORDER,
      body: ANY_ORDER,
      domain: { name: 'shown', version: 'shown', chainId: 'shown', verifyingContract: 'shown' },
      primaryType: 'shown',
      text: 'masked',
      hex: 'masked',
      base64: 'masked',
    }),
    ...TEXT_OR_OBJECT,
  ]),
};

/**
 * Every signature is recorded, and 64 paths take longer to merge than its data takes to mask: so each platform's fields are merged once. They are
 * held by the platform itself, which a reload replaces, so no field outlives the configuration that cleared it.
 */
const FIELDS_OF_PLATFORM = new WeakMap<MaskedPlatform, VisibleFields>();

/** The allowlist of a platform's audit records: its format's fields, and the members that its `audit.clear` names. */
export function visibleFields(platform: MaskedPlatform): VisibleFields {
  const byFormat = FIELDS_OF_FORMAT[platform.format];
  if (platform.audit === undefined) return byFormat;
  const merged = FIELDS_OF_PLATFORM.get(platform);
  if (merged !== undefined) return merged;
  const fields = platform.audit.clear.reduce((known, path) => withCleared(known, path.split('.')), byFormat);
  FIELDS_OF_PLATFORM.set(platform, fields);
  return fields;
}

function withCleared(fields: VisibleFields, [name, ...below]: readonly string[]): VisibleFields {
  if (name === undefined) return fields;
  const field = fields.get(name) ?? UNKNOWN_FIELD;
  const cleared =
    below.length === 0
      ? { ...field, isCleared: true }
      : { ...field, members: withCleared(field.members ?? NO_FIELDS, below) };
  return new Map([...fields, [name, cleared]]);
}

function fieldsOf(shape: Shape): VisibleFields {
  return new Map(Object.entries(shape).map(([name, rule]) => [name, fieldOf(rule)]));
}

function fieldOf(rule: Visibility | Shape): VisibleField {
  if (typeof rule === 'string') return { visibility: rule, isCleared: false };
  return { ...UNKNOWN_FIELD, members: fieldsOf(rule) };
}

function shownOr(members: Shape): VisibleField {
  return { visibility: 'shown', isCleared: false, members: fieldsOf(members) };
}
