import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import { DATA_FORMATS, type DataFormat } from '../../src/domain/model/platform.ts';
import { type MaskedPlatform, maskData } from '../../src/domain/payload/mask-data.ts';

/** Under a rule that signs all of `data`. */
function maskAll(platform: MaskedPlatform, data: JsonObject): JsonObject {
  return maskData(platform, data, { rule: 'jcs' });
}

/** What a format shows of a value: all, numbers only, or a request target without its query. */
type Rule = 'shown' | 'number' | 'target';

const ORDERS = {
  A: ['type', 'market', 'side'],
  B: ['action', 'symbol', 'timestamp'],
  C: ['symbol', 'side', 'type', 'timestamp'],
  D: ['instId', 'side', 'ordType'],
} as const;
const CONTAINERS = ['instruction', 'message', 'params', 'body'];
const HIDDEN = ['amount', 'price', 'quantity', 'sz', 'px', 'text', 'hex', 'base64'];
const UNKNOWN = ['memo', 'order', 'legs', '_id', 'constructor', '__proto__', 'toString', '0', 'length'];
const FORMAT_NAMES = [...Object.values(ORDERS).flat(), ...CONTAINERS, ...HIDDEN, 'method', 'path', 'endpoint', 'nonce'];

/** Allowlists by format and path. */
const FORMAT_RULES = new Map(DATA_FORMATS.map((format) => [format, rulesOf(format)]));

function rulesOf(format: DataFormat): ReadonlyMap<string, Rule> {
  const shown = (names: readonly string[], prefix = ''): [string, Rule][] =>
    names.map((name) => [prefix + name, 'shown']);
  const ofAny = (prefix: string): [string, Rule][] => [
    ...shown([...Object.values(ORDERS).flat(), 'method'], prefix),
    [`${prefix}path`, 'target'],
    [`${prefix}endpoint`, 'target'],
    [`${prefix}nonce`, 'number'],
  ];
  const rules: { readonly [Format in DataFormat]: [string, Rule][] } = {
    A: [...shown(ORDERS.A), ...shown(ORDERS.A, 'instruction/'), ['nonce', 'number']],
    B: shown(ORDERS.B, 'message/'),
    C: [...shown(['method']), ['endpoint', 'target'], ...shown(ORDERS.C, 'params/')],
    D: [...shown(['method', 'timestamp']), ['path', 'target'], ...shown(ORDERS.D, 'body/')],
    any: [
      ...['', ...CONTAINERS.map((name) => `${name}/`)].flatMap(ofAny),
      ...shown(['instruction', 'primaryType', 'action/type']),
      ...shown(['name', 'version', 'chainId', 'verifyingContract'], 'domain/'),
    ],
  };
  return new Map(rules[format]);
}

/** Structure of data, before each value gets unique marks. */
type Kind = 'plain' | 'long' | 'unprintable' | 'number';
type Plan = Kind | readonly Plan[] | { readonly [name: string]: Plan };

const kind = fc.constantFrom<Kind>('plain', 'plain', 'number', 'long', 'unprintable');
const name = fc.oneof(
  fc.constantFrom(...FORMAT_NAMES),
  fc.constantFrom(...CONTAINERS),
  fc.constantFrom(...UNKNOWN, 'order.memo', 'instruction.price', 's3cret-name'),
);

function planOf(depth: number): fc.Arbitrary<Plan> {
  if (depth === 0) return kind;
  const below = fc.oneof(kind, planOf(depth - 1), fc.array(planOf(depth - 1), { maxLength: 2 }));
  return fc
    .uniqueArray(fc.tuple(name, below), { maxLength: 6, selector: ([key]) => key })
    .map((members) => Object.fromEntries(members));
}

const pathName = fc.constantFrom(...HIDDEN, ...CONTAINERS, ...UNKNOWN, 'path', 'nonce');

const clearList = fc.uniqueArray(
  fc.array(pathName, { minLength: 1, maxLength: 3 }).map((names) => names.join('.')),
  { maxLength: 30 },
);

/** A unique text of a value, and whether the record may contain it. */
interface Mark {
  readonly text: string;
  readonly isVisible: boolean;
}

/** Creates data and its marks. */
function realise(format: DataFormat, clear: readonly string[], plan: Plan): { data: JsonObject; marks: Mark[] } {
  const marks: Mark[] = [];
  const isCleared = (path: readonly string[]) => clear.some((entry) => sameNames(entry.split('.'), path));

  function leaf(kindOfValue: Kind, path: readonly string[] | undefined): JsonValue {
    const rule = path === undefined ? undefined : FORMAT_RULES.get(format)?.get(path.join('/'));
    const isShown = path !== undefined && (rule === 'shown' || isCleared(path));
    const number = marks.length;
    if (kindOfValue === 'number') {
      marks.push({ text: String(800_000 + number), isVisible: isShown || rule === 'number' });
      return 800_000 + number;
    }
    const [head, query] = [`T${number}T`, `Q${number}Q`];
    const isPlain = kindOfValue === 'plain';
    marks.push({ text: head, isVisible: (isPlain && isShown) || rule === 'target' });
    marks.push({ text: query, isVisible: isPlain && isShown });
    return `${head}?${query}${{ plain: '', long: 'x'.repeat(128), unprintable: 'é' }[kindOfValue]}`;
  }

  function value(part: Plan, path: readonly string[] | undefined): JsonValue {
    if (typeof part === 'string') return leaf(part, path);
    if (Array.isArray(part)) return part.map((element) => value(element, undefined));
    const members = Object.entries(part).map(([key, below]): [string, JsonValue] => [
      key,
      value(below, path && [...path, key]),
    ]);
    return Object.fromEntries(members);
  }

  return { data: value(plan, []) as JsonObject, marks };
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}

/** All member names of a record. */
function namesIn(value: JsonValue): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [key, ...namesIn(below)]);
}

describe('maskData properties with cleared members', () => {
  for (const format of DATA_FORMATS) {
    it(`format ${format}: shows exactly the allowlisted plain values`, () => {
      const seen = { visible: 0, hidden: 0 };
      fc.assert(
        fc.property(planOf(3), clearList, (plan, clear) => {
          const { data, marks } = realise(format, clear, plan);
          const text = JSON.stringify(maskAll({ format, audit: { clear } }, data));
          for (const { text: mark, isVisible } of marks) {
            if (text.includes(mark) !== isVisible)
              expect.fail(`${mark} in ${text}, and it ${isVisible ? 'is' : 'is not'} on a list`);
            seen[isVisible ? 'visible' : 'hidden'] += 1;
          }
        }),
        // Format B shows members of one container only, which is rare.
        { numRuns: format === 'B' ? 1300 : 500 },
      );
      expect(seen.visible).to.be.above(5);
      expect(seen.hidden).to.be.above(50);
    });

    it(`format ${format}: names listed members only, and changes no prototype`, () => {
      fc.assert(
        fc.property(planOf(3), clearList, (plan, clear) => {
          const { data } = realise(format, clear, plan);
          const masked = maskAll({ format, audit: { clear } }, data);
          const known = ['[other]', ...FORMAT_NAMES, ...clear.flatMap((path) => path.split('.'))];
          expect(namesIn(masked).filter((each) => !known.includes(each))).to.deep.equal([]);
          expect(Object.getPrototypeOf(masked)).to.equal(Object.prototype);
        }),
        { numRuns: 100 },
      );
    });
  }

  it('are bounded by the list', () => {
    const long = (prefix: number, level: number) => `${prefix}-${level}-`.padEnd(64, 'x');
    const paths = Array.from({ length: 64 }, (_, index) => Array.from({ length: 8 }, (_, level) => long(index, level)));
    const nested = (path: readonly string[], extra: JsonObject): JsonValue =>
      path.reduceRight<JsonValue>((below, key) => ({ ...extra, [key]: below }), '"'.repeat(128));
    const extras = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ maxLength: 2000 }), { maxKeys: 20 });
    fc.assert(
      fc.property(extras, (extra) => {
        const data = Object.assign({}, ...paths.map((path) => nested(path, extra))) as JsonObject;
        const masked = maskAll({ format: 'any', audit: { clear: paths.map((path) => path.join('.')) } }, data);
        expect(JSON.stringify(masked)).to.have.lengthOf.below(65_536);
      }),
      { numRuns: 5 },
    );
  });
});
