import type { Issue } from '../model/errors.ts';
import { isJsonObject, type JsonObject, type JsonStep, type JsonValue, jsonPath, ownMember } from '../model/json.ts';

/*
 * The venue parses an action into its own types, and hashes what it writes from them. An action in
 * another form has another hash: the venue then recovers an address without an account.
 */

const SCALARS = {
  integer: { form: Number.isSafeInteger, wanted: 'an integer' },
  boolean: { form: (value: JsonValue) => typeof value === 'boolean', wanted: 'true or false' },
  text: { form: (value: JsonValue) => typeof value === 'string', wanted: 'a string' },
  address: { form: matches(/^0x[0-9a-f]{40}$/), wanted: 'an address, 0x and 40 lowercase hex digits' },
  cloid: { form: matches(/^0x[0-9a-f]{32}$/), wanted: 'a client order ID, 0x and 32 lowercase hex digits' },
  decimal: {
    form: matches(/^(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?$/),
    wanted: 'a decimal in a string, without an exponent, a sign or zeros that change nothing, such as "25.2"',
  },
  null: { form: (value: JsonValue) => value === null, wanted: 'null' },
  object: { form: (value: JsonValue) => isJsonObject(value), wanted: 'an object' },
  chainId: {
    form: matches(/^0x(?:0|[1-9a-f][0-9a-f]{0,15})$/),
    wanted: 'a chain ID in lowercase hex, such as 0x66eee',
  },
  // The venue writes r and s as numbers.
  half: {
    form: matches(/^0x[1-9a-f][0-9a-f]{0,63}$/),
    wanted: 'lowercase hex with 0x and without leading zeros, at most 64 digits',
  },
  recovery: { form: (value: JsonValue) => value === 27 || value === 28, wanted: '27 or 28' },
} as const;

/** Of a scalar, an object, the elements of a list; or chosen by the value. */
type Form = keyof typeof SCALARS | Members | readonly [Form] | ((value: JsonValue) => Form);

/** In the order that is hashed. A name that ends with `?` may be absent, and is never null. */
interface Members {
  readonly [name: string]: Form;
}

function matches(form: RegExp): (value: JsonValue) => boolean {
  return (value) => typeof value === 'string' && form.test(value);
}

function orNull(form: Form): Form {
  return (value) => (value === null ? 'null' : form);
}

const LIMIT: Members = { limit: { tif: 'text' } };
const TRIGGER: Members = { trigger: { isMarket: 'boolean', triggerPx: 'decimal', tpsl: 'text' } };

const ORDER: Members = {
  a: 'integer',
  b: 'boolean',
  p: 'decimal',
  s: 'decimal',
  r: 'boolean',
  t: (value) => (isJsonObject(value) && Object.hasOwn(value, 'trigger') ? TRIGGER : LIMIT),
  'c?': 'cloid',
};

const ORDER_ID: Form = (value) => (typeof value === 'string' ? 'cloid' : 'integer');

const TWAP: Members = { a: 'integer', b: 'boolean', s: 'decimal', r: 'boolean', m: 'integer', t: 'boolean' };

/**
 * Actions of trading and of transfers, without their first member `type`.
 *
 * @see https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/exchange-endpoint
 * @see https://github.com/nktkas/hyperliquid/tree/db80d598f6e4672edc090fe69994ecec97ebc980/src/api/exchange/_methods
 */
const ACTIONS: ReadonlyMap<string, Members> = new Map<string, Members>([
  [
    'order',
    {
      orders: [ORDER],
      grouping: (value) => (isJsonObject(value) ? { p: 'integer' } : 'text'),
      'builder?': { b: 'address', f: 'integer' },
    },
  ],
  ['modify', { oid: ORDER_ID, order: ORDER, 'a?': 'boolean' }],
  ['batchModify', { modifies: [{ oid: ORDER_ID, order: ORDER }], 'a?': 'boolean' }],
  ['cancel', { cancels: [{ a: 'integer', o: 'integer' }], 'f?': 'boolean' }],
  ['cancelByCloid', { cancels: [{ asset: 'integer', cloid: 'cloid' }], 'f?': 'boolean' }],
  ['scheduleCancel', { 'time?': 'integer' }],
  ['twapOrder', { twap: TWAP, 'details?': { t: orNull({ p: 'decimal', a: 'boolean' }), s: orNull('decimal') } }],
  ['twapCancel', { a: 'integer', t: 'integer' }],
  ['updateLeverage', { asset: 'integer', isCross: 'boolean', leverage: 'integer' }],
  ['updateIsolatedMargin', { asset: 'integer', isBuy: 'boolean', ntli: 'integer' }],
  ['vaultTransfer', { vaultAddress: 'address', isDeposit: 'boolean', usd: 'integer' }],
  ['subAccountTransfer', { subAccountUser: 'address', isDeposit: 'boolean', usd: 'integer' }],
  ['subAccountSpotTransfer', { subAccountUser: 'address', isDeposit: 'boolean', token: 'text', amount: 'text' }],
  [
    'multiSig',
    {
      signatureChainId: 'chainId',
      signatures: [{ r: 'half', s: 'half', v: 'recovery' }],
      payload: { multiSigUser: 'address', outerSigner: 'address', action: toActionForm },
    },
  ],
]);

/** The venue may have other actions than {@link ACTIONS}; their form is not known here. */
function toActionForm(action: JsonValue): Form {
  const type = isJsonObject(action) ? ownMember(action, 'type') : undefined;
  const members = typeof type === 'string' ? ACTIONS.get(type) : undefined;
  return members === undefined ? 'object' : { type: 'text', ...members };
}

/**
 * What the venue cannot accept of a known action: members missing, unknown or in another order, and
 * values in another form.
 *
 * @param steps path of the action in `data`
 */
export function findActionIssue(steps: readonly JsonStep[], action: JsonObject): Issue | undefined {
  return findIssue(steps, action, toActionForm(action));
}

function findIssue(steps: readonly JsonStep[], value: JsonValue, form: Form): Issue | undefined {
  if (typeof form === 'function') return findIssue(steps, value, form(value));
  if (typeof form === 'string') {
    return SCALARS[form].form(value) ? undefined : issueAt(steps, SCALARS[form].wanted);
  }
  if (isList(form)) return findInList(steps, value, form[0]);
  return findInObject(steps, value, form);
}

function issueAt(steps: readonly JsonStep[], wanted: string): Issue {
  return { path: jsonPath('data', steps), message: `must be ${wanted}: the venue hashes it in this form` };
}

function isList(form: Members | readonly [Form]): form is readonly [Form] {
  return Array.isArray(form);
}

function findInList(steps: readonly JsonStep[], value: JsonValue, form: Form): Issue | undefined {
  if (!Array.isArray(value)) return issueAt(steps, 'an array');
  for (const [index, element] of value.entries()) {
    const issue = findIssue([...steps, index], element, form);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function findInObject(steps: readonly JsonStep[], value: JsonValue, members: Members): Issue | undefined {
  const wanted = `an object with the members ${listMembers(members)}, in this order`;
  if (!isJsonObject(value)) return issueAt(steps, wanted);
  const given = Object.keys(value);
  const expected = Object.entries(members).filter(([name]) => !isOptional(name) || given.includes(toName(name)));
  if (given.length !== expected.length) return issueAt(steps, wanted);
  for (const [index, [key, form]] of expected.entries()) {
    const name = toName(key);
    if (given[index] !== name) return issueAt(steps, wanted);
    const issue = findIssue([...steps, name], value[name] ?? null, form);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function isOptional(name: string): boolean {
  return name.endsWith('?');
}

function toName(name: string): string {
  return isOptional(name) ? name.slice(0, -1) : name;
}

function listMembers(members: Members): string {
  return Object.keys(members)
    .map((name) => (isOptional(name) ? `${toName(name)} (optional)` : name))
    .join(', ');
}
