import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { CelPolicyLanguage } from '../../src/adapters/policy/cel-policy-language.ts';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { Payload, PayloadRule } from '../../src/domain/model/payload.ts';
import { PolicyCompiler } from '../../src/domain/services/policy-compiler.ts';
import { samplePlatform, samplePrivateKey } from '../doubles/credential-builder.ts';
import { CONTEXT, createWorkbench } from '../unit/domain/services/signing-workbench.ts';

/*
 * No encoding of a request gets signed what its policy denies. Each signed payload is read in every
 * way in which a lenient venue could read it, by other parsers than the service's: duplicate names,
 * any letter case, `+` and `%`, comments, each split of a text without separators. None of these
 * readings may be outside the policy. POLICY_CASES=1000000 tries more.
 */

const CASES = Number(process.env['POLICY_CASES'] ?? 10_000);

/** What a venue could take a signed request for. */
interface Reading {
  readonly operation: string;
  /** Every value that the amount could have. */
  readonly amounts: readonly JsonValue[];
}

interface Target {
  readonly rule: PayloadRule;
  readonly when: string;
  readonly data: fc.Arbitrary<JsonObject>;
  /** Permitted by `when`, in the words of this test. */
  readonly operations: readonly string[];
  readonly readings: (payload: Payload, data: JsonObject) => readonly Reading[];
}

const LIMIT = { digits: 10n, scale: 0 };

/** Whether a lenient reader could take the value for a number above 10, or below 0. */
function isBeyond(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(isBeyond);
  const text = String(value).trim().replace(/^\+/, '').replaceAll('_', '');
  if (/^0[xob]/i.test(text)) return Number(text) > 10;
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === '')) return false;
  if (Math.abs(Number(power)) > 1000) return Number(power) > 0 && /[1-9]/.test(whole + fraction);
  const digits = BigInt(whole + fraction);
  if (sign === '-') return digits > 0n;
  const scale = fraction.length - Number(power);
  return scale <= LIMIT.scale
    ? digits * 10n ** BigInt(-scale) > LIMIT.digits
    : digits > LIMIT.digits * 10n ** BigInt(scale);
}

/** Values of all members of this name at the top of a lenient JSON text, in any letter case. */
function membersIn(text: string, name: string): readonly JsonValue[] {
  const tree = parseTree(text, [], { allowTrailingComma: true, disallowComments: false });
  const objects = tree?.type === 'array' ? (tree.children ?? []) : [tree];
  return objects.flatMap((object) => membersOf(object, name, text));
}

function membersOf(object: Node | undefined, name: string, text: string): readonly JsonValue[] {
  return (object?.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    if (typeof key?.value !== 'string' || fold(key.value) !== name || value === undefined) return [];
    const written = text.slice(value.offset, value.offset + value.length);
    return [value.type === 'number' ? written : (getNodeValue(value) as JsonValue)];
  });
}

function fold(name: string): string {
  return name.trim().toUpperCase().toLowerCase();
}

function formValues(text: string, name: string): readonly string[] {
  const lenient = text.split(/[&;]/).flatMap((pair) => [...new URLSearchParams(pair)]);
  return [...lenient, ...new URLSearchParams(text)].filter(([key]) => fold(key) === name).map(([, value]) => value);
}

const ENDPOINTS = ['/order', '/order/', '/orders', '/order/all', '/order-algo', '/withdraw', '/withdraw/fast', '/o'];

/** Each endpoint that the text can begin with, if what follows could be a query or a body. */
function requestsIn(target: string): readonly { readonly path: string; readonly rest: string }[] {
  let decoded = target;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    // Read as it is.
  }
  return [target, decoded].flatMap((text) => {
    const normal = text.replace(/\/{2,}/g, '/').replace(/;[^/?{[]*/g, '');
    return [text, normal, normal.toLowerCase()].flatMap((spelt) =>
      ENDPOINTS.filter((path) => spelt.startsWith(path) && /^(?:\?|\s*[[{]|$)/.test(spelt.slice(path.length))).map(
        (path) => ({ path, rest: spelt.slice(path.length) }),
      ),
    );
  });
}

const AMOUNTS = ['1', '10', '10.0', '10.00000000000000000001', '11', '1e1', '1e2', '0.1e3', '1E+2', '-5', '9', '0'];
const ODD_AMOUNTS = ['+50', '50 ', ' 50', '0x50', '050', '1_00', '５０', '', 'NaN', '1e9999', '9'.repeat(40), '11.'];
const amountText = fc.constantFrom(...AMOUNTS, ...ODD_AMOUNTS);

/** Spellings of a member's name. */
function spelling(name: string): fc.Arbitrary<string> {
  const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  const others = [name.toUpperCase(), `${name[0]?.toUpperCase()}${name.slice(1)}`, escaped, `${name} `, `"${name}`];
  return fc.oneof({ weight: 4, arbitrary: fc.constant(name) }, fc.constantFrom(...others));
}

/** A JSON literal: mostly amounts as texts or numbers. */
const literal = fc.oneof(
  { weight: 4, arbitrary: amountText.map((text) => JSON.stringify(text)) },
  { weight: 4, arbitrary: fc.constantFrom(...AMOUNTS) },
  fc.constantFrom(
    'null',
    'true',
    '[]',
    '["50"]',
    '{"size":50}',
    '"\\u0035\\u0030"',
    '"&size=50"',
    '";size=50;"',
    '50/**/',
    'NaN',
    '05',
    '1e400',
  ),
);

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t', '/**/', '\u00a0');

const member = fc
  .tuple(fc.oneof(spelling('size'), spelling('type'), fc.constant('note')), blank, literal)
  .map(([name, space, value]) => `"${name}"${space}:${space}${value}`);

/** Texts that are, or nearly are, JSON objects and arrays. */
const jsonText = fc
  .tuple(
    fc.array(member, { maxLength: 4 }),
    fc.constantFrom('', '', '', ',', ' ', '}', 'x', '\ufeff'),
    fc.constantFrom('{}', '{}', '{}', '[{}]', '[]', '{{}}'),
    fc.constantFrom('', '', '', '', ' ', '\ufeff', '-algo', 's', '/all', '?a=b', '\n'),
  )
  .map(([members, end, [open, ...close], before]) => {
    const inner = members.join(',');
    return open === '[' && close[0] === '{'
      ? `${before}[{${inner}}${end}]`
      : `${before}${open}${inner}${end}${close.join('')}`;
  });

const ORDER_TEXT = amountText.map((size) => JSON.stringify({ type: 'limit', size }));

const bodyObject = fc
  .tuple(fc.constantFrom('size', 'Size', 'amount'), fc.oneof(amountText, fc.constantFrom(1, 10, 10.5, 11, 1e2, true)))
  .map(([name, value]): JsonValue => ({ type: 'limit', [name]: value }));

const body: fc.Arbitrary<JsonValue | undefined> = fc.oneof(
  { weight: 3, arbitrary: bodyObject },
  { weight: 3, arbitrary: ORDER_TEXT },
  { weight: 4, arbitrary: jsonText },
  bodyObject.map((one) => [one, one]),
  fc.constant(undefined),
);

const path = fc.oneof(
  { weight: 5, arbitrary: fc.constant('/order') },
  fc.constantFrom(
    ...ENDPOINTS,
    '//order',
    '/%6frder',
    '/ORDER',
    '/order;a=1',
    '/order?a=b',
    '/order?size=50',
    '/order[',
    '/order%2Fall',
  ),
);

const query: fc.Arbitrary<JsonValue | undefined> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  fc.constantFrom('a=b', 'a=b&a=c', 'size=50', '', 'a=b{"size":50}', { a: 'b' }),
);

function withoutUndefined(data: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const BODY_POLICY =
  'signed.path == "/order" && (type(signed.body) == list ? signed.body.all(o, decimal(o.size) <= 10 && decimal(o.size) >= 0) : decimal(signed.body.size) <= 10 && decimal(signed.body.size) >= 0)';

const FORM_POLICY =
  'signed.params.type == "order" && !("address" in signed.params) && decimal(signed.params.size) <= 10 && decimal(signed.params.size) >= 0';

const params = fc.uniqueArray(
  fc.tuple(
    fc.oneof(spelling('size'), spelling('type'), spelling('address'), fc.constant('no te')),
    fc.oneof(amountText, fc.constantFrom('order', 'withdraw', 'order&type=withdraw', 'a=b', 1, 10, 11, true)),
  ),
  { selector: ([name]) => name, maxLength: 5 },
);

const orderParams = fc.tuple(params, amountText).map(([others, size]) => {
  return Object.fromEntries([['type', 'order'], ['size', size], ...others]) as JsonObject;
});

function formReadings(text: string): readonly Reading[] {
  const operations = [...formValues(text, 'type'), ...(formValues(text, 'address').length > 0 ? ['withdraw'] : [])];
  return operations.map((operation) => ({ operation, amounts: formValues(text, 'size') }));
}

function toBodyReadings(requests: ReturnType<typeof requestsIn>): readonly Reading[] {
  return requests.map(({ path: operation, rest }) => {
    const start = rest.search(/[[{]/);
    const json = start === -1 ? '' : rest.slice(start);
    return { operation, amounts: bodyAmounts(json) };
  });
}

/** The content type is not signed: a venue may read each body as JSON and as a form. */
function bodyAmounts(text: string): readonly JsonValue[] {
  return [...membersIn(text, 'size'), ...formValues(text, 'size')];
}

const TARGETS: { readonly [name: string]: Target } = {
  'a template without separators': {
    rule: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'ms' },
    when: BODY_POLICY,
    data: fc
      .tuple(path, query, body)
      .map(([to, asked, sent]) =>
        withoutUndefined({ timestamp: 1700000000000, method: 'POST', path: to, query: asked, body: sent }),
      ),
    operations: ['/order'],
    readings: ({ text }) => toBodyReadings(requestsIn(text.slice('1700000000000POST'.length))),
  },
  'a template with digits between a path without a query and the body': {
    rule: { rule: 'prehash', template: '/api{path}{data.nonce}{body}', path: { query: 'none' } },
    when: BODY_POLICY,
    data: fc
      .tuple(path, body, fc.constantFrom(1700000000000000, '7', '/all7', '-algo', '', '{"size":50}', '0'))
      .map(([to, sent, nonce]) => withoutUndefined({ path: to, body: sent, nonce })),
    operations: ['/order'],
    readings: ({ text }) => {
      const target = text.slice('/api'.length);
      const splits = [...target.matchAll(/[0-9]/g)].flatMap(({ index }) =>
        [...target.slice(index).matchAll(/[0-9](?![0-9])/g)].map(
          ({ index: last }) => target.slice(0, index) + target.slice(index + last + 1),
        ),
      );
      return toBodyReadings(splits.flatMap(requestsIn));
    },
  },
  'a template with a member between path and body': {
    rule: { rule: 'prehash', template: '{METHOD}{path}{?query}{data.expires}{body}' },
    when: BODY_POLICY,
    data: fc
      .tuple(
        path,
        query,
        body,
        fc.constantFrom(1700000000, '1700000000', '/all1700000000', '-algo', '', '{"size":50}', 17000000001),
      )
      .map(([to, asked, sent, expires]) =>
        withoutUndefined({ method: 'POST', path: to, query: asked, body: sent, expires }),
      ),
    operations: ['/order'],
    readings: ({ text }) => {
      const target = text.slice('POST'.length);
      const splits = [...target.matchAll(/[0-9]{10}/g)].map(
        ({ index }) => target.slice(0, index) + target.slice(index + 10),
      );
      return toBodyReadings(splits.flatMap(requestsIn));
    },
  },
  'percent-encoded parameters': {
    rule: { rule: 'query', field: 'params' },
    when: FORM_POLICY,
    data: orderParams.map((sent) => ({ params: sent })),
    operations: ['order'],
    readings: ({ text }) => formReadings(text),
  },
  'JSON in one field': {
    rule: { rule: 'jcs', field: 'message' },
    when: 'decimal(signed.message.size) <= 10 && decimal(signed.message.size) >= 0',
    data: body.map((message) => withoutUndefined({ message })),
    operations: ['message'],
    readings: ({ text }) => [{ operation: 'message', amounts: membersIn(text, 'size') }],
  },
  'a path and a hash (kraken)': {
    rule: { rule: 'kraken' },
    when: 'signed.path == "/order" && decimal(signed.body.size) <= 10 && decimal(signed.body.size) >= 0',
    data: fc
      .tuple(
        path,
        fc.oneof(
          orderParams,
          params.map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&')),
          jsonText,
        ),
      )
      .map(
        ([to, sent]): JsonObject =>
          typeof sent === 'string' ? { path: to, nonce: 5, body: sent } : { path: to, body: { ...sent, nonce: 5 } },
      ),
    operations: ['/order'],
    readings: ({ bytes, parts }, data) => {
      const sent = parts?.body ?? String(data['body']);
      const hash = createHash('sha256').update(`5${sent}`).digest();
      expect(hash.equals(bytes.subarray(-32)), 'the hash is of nonce and body').to.equal(true);
      const requests = requestsIn(Buffer.from(bytes.subarray(0, -32)).toString());
      const amounts = bodyAmounts(sent);
      return requests.map(({ path: operation }) => ({ operation, amounts }));
    },
  },
};

describe(`Policies on hostile encodings, ${CASES} requests each`, function () {
  this.timeout(CASES * 20);

  for (const [name, { rule, when, data, operations, readings }] of Object.entries(TARGETS)) {
    it(`${name}: every reading of what is signed is within the policy`, async () => {
      const bench = createWorkbench();
      const platform = samplePlatform({ format: 'any', payload: rule });
      const entry = { name: 'orders', accounts: ['*/*'], effect: 'allow', when } as const;
      const compiler = new PolicyCompiler(async () => new CelPolicyLanguage());
      const policies = await compiler.compile([entry], [platform], new TimeSlice(bench.clock));
      if (!policies.ok) throw new Error(JSON.stringify(policies.refusal));
      const account = bench.enrol({ platformId: platform.platformId }, samplePrivateKey(1));
      bench.serve([platform], [account], null, policies.value);
      const counts = { signed: 0, denied: 0, malformed: 0 };
      await fc.assert(
        fc.asyncProperty(data, async (sent) => {
          const { platformId, accountId } = account;
          const outcome = await bench.signing.sign({ platformId, accountId, data: sent }, CONTEXT);
          if (!outcome.ok) {
            counts[outcome.refusal.code === 'POLICY_DENIED' ? 'denied' : 'malformed'] += 1;
            return;
          }
          counts.signed += 1;
          const found = readings(outcome.value.payload, sent);
          expect(found.length, 'readings').to.be.greaterThan(0);
          for (const { operation, amounts } of found) {
            expect(operations, outcome.value.payload.text).to.include(operation);
            expect(amounts.filter(isBeyond), outcome.value.payload.text).to.deep.equal([]);
          }
        }),
        { numRuns: CASES },
      );
      process.stdout.write(`      ${JSON.stringify(counts)}\n`);
      expect(counts.signed, 'signed').to.be.greaterThan(CASES / 100);
      expect(counts.denied, 'denied').to.be.greaterThan(CASES / 10);
    });
  }
});
