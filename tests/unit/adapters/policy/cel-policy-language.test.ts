import { expect } from 'chai';
import { CelPolicyLanguage } from '../../../../src/adapters/policy/cel-policy-language.ts';
import { Decimal, type SignedContent, type SignedFields } from '../../../../src/domain/model/payload.ts';
import type { PolicyFacts } from '../../../../src/domain/model/policy.ts';

const FIELDS: SignedFields = {
  method: 'string',
  path: 'string',
  query: 'map<string, string>',
  body: 'dyn',
};

const ORDER: SignedContent = {
  method: 'POST',
  path: '/orders',
  query: new Map([['symbol', 'BTC-USDT']]),
  body: new Map<string, SignedContent[string]>([
    ['size', '0.25'],
    ['price', new Decimal('64000.10')],
    ['leverage', 20n],
    ['reduceOnly', false],
    ['note', null],
    ['legs', [new Map([['side', 'buy']]), new Map([['side', 'sell']])]],
  ]),
};

const FACTS: PolicyFacts = {
  signed: ORDER,
  principal: 'bot-7',
  platform: 'okx',
  rule: 'default',
  account: 'main',
  environment: 'production',
  now: Date.parse('2026-11-24T10:30:00.000Z'),
};

/** Conditions that are true of the order above. */
const TRUE: readonly string[] = [
  'signed.path == "/orders" && signed.method == "POST"',
  'signed.path.startsWith("/") && signed.path.endsWith("ers") && signed.path.contains("rde")',
  'signed.query.symbol == "BTC-USDT" && !("side" in signed.query) && size(signed.query) == 1',
  'has(signed.body.size) && !has(signed.body.amount)',
  'signed.body.leverage == 20 && signed.body.leverage <= 20 && signed.body.leverage != 21',
  'signed.body.reduceOnly == false && signed.body.note == null',
  'signed.body.legs.all(leg, leg.side in ["buy", "sell"]) && signed.body.legs.exists(leg, leg.side == "buy")',
  'signed.body.legs.all(leg, leg.side != signed.body.size && platform.startsWith("ok") && signed.path in ["/orders"])',
  'signed.path.contains("ord") && !signed.path.contains(principal) && now.getHours("UTC") == 10',
  '["ord", "x"].exists(word, signed.path.contains(word))',
  `[${Array(100).fill('"/orders"').join()}].exists(path, signed.path == path)`,
  'signed.path.split("/").all(part, part in ["", "orders"]) && signed.body.legs[0].side == "buy"',
  'signed.body.legs.filter(leg, leg.side == "buy").all(leg, leg["side"] == "buy")',
  'signed.body.all(name, name != "note" || signed.body[name] == null)',
  'signed.body.legs.map(leg, leg.side) == ["buy", "sell"] && signed.body.legs.filter(leg, leg.side == "buy").size() == 1',
  'principal == "bot-7" && platform == "okx" && rule == "default" && account == "main" && environment == "production"',
  'now > timestamp("2026-11-24T00:00:00Z") && now.getHours() == 10 && now.getDayOfWeek() == 2',
  'now - timestamp("2026-11-24T10:00:00Z") == duration("30m")',
  'now.getFullYear() == 2026 && now.getMonth() == 10 && now.getDate() == 24 && now.getDayOfMonth() == 23',
  'now.getDayOfYear() == 327 && now.getMinutes() == 30 && now.getSeconds() == 0 && now.getMilliseconds() == 0',
  'signed.path.upperAscii().lowerAscii() == "/orders" && " a ".trim() == "a" && string(signed.body.leverage) == "20"',
  'signed.path.substring(1) == "orders" && signed.path.indexOf("rde") == 2 && ["a", "b"].exists_one(s, s == "b")',
  // A term that cannot be decided does not matter where the other one decides.
  'signed.body.amount == "1" || signed.path == "/orders"',
  '!(signed.body.amount == "1" && signed.path == "/withdrawals")',
  // Values of different types are different.
  'signed.body.size != 0',
];

/** Decimals: true comparisons that floating-point numbers get wrong, or cannot hold. */
const EXACT: readonly string[] = [
  'decimal("0.1") <= decimal("10") && decimal("0.1") < 1 && 1 > decimal("0.1")',
  'decimal("0.1") + decimal("0.2") == decimal("0.3")',
  'decimal("1") >= 1 && decimal("1") <= 1 && decimal("2") >= 1 && !(decimal("0.5") >= 1)',
  '!(decimal("1") < 1) && !(decimal("1") > 1)',
  'decimal("1.10") == decimal("1.1") && decimal("1e3") == 1000 && decimal("-0") == 0',
  'decimal("10000000000000000000000000000000.000000000000000000001") > decimal("10000000000000000000000000000000")',
  `decimal("${'9'.repeat(5000)}") < decimal("1${'0'.repeat(5000)}")`,
  'decimal(signed.body.size) * signed.body.price == decimal("16000.025")',
  'signed.body.price > 64000 && signed.body.price <= decimal("64000.1") && decimal(signed.body.leverage) == 20',
  'decimal("5") - 7 == -2 && 2 * decimal("0.5") == 1',
];

/** Amounts of the order above. */
const AMOUNTS: readonly (readonly [sum: string, expected: string])[] = [
  ['1', '1'],
  ['decimal(signed.body.size) * signed.body.price', '16000.025'],
  ['signed.path == "/orders" ? decimal(signed.body.size) : decimal(0)', '0.25'],
  ['signed.path == "/cancels" ? decimal(signed.body.size) : decimal(0)', '0'],
  ['size(signed.body.legs)', '2'],
  ['decimal("0.1") - 1', '-0.9'],
];

/** Conditions that cannot be decided on the order above. */
const UNDECIDABLE: readonly string[] = [
  'signed.body.amount == "1"',
  'signed.body.size <= 5',
  'signed.body.legs.all(leg, leg.price == "1")',
  'signed.body.legs[2].side == "buy"',
  ...['1,5', '+1', '01', '.5', '1.', ' 1', '0x10', 'NaN', 'Infinity', '1_000', '', '1e99999', '１'].map(
    (text) => `decimal("${text}") > 0`,
  ),
  'decimal(signed.body.note) > 0',
  `decimal("${'9'.repeat(101)}") * 2 > 0`,
  'decimal("1e-101") + 1 > 0',
];

/** Conditions that do not compile, and what the reason names. */
const INVALID: readonly (readonly [string, RegExp])[] = [
  ['', /does not compile/],
  ['signed.path == 1', /does not compile.*string == int/],
  ['signed.path == "/" && unknown == "a"', /does not compile.*unknown.*at character 23/],
  ['signed.path', /boolean.*string/],
  ['signed.host == "a"', /signed\.host.*does not cover.*signed\.path/],
  ['has(signed.host)', /signed\.host.*does not cover/],
  ['has(signed.body)', /signed\.body.*has\(\).*has\(signed\.body\.name\)/],
  ['!has(signed["path"]) || true', /has\(\).*signed\.path/],
  ['signed["ho" + "st"] == "a"', /must read a field of signed/],
  ['[signed].all(s, s.path == "/")', /must read a field of signed/],
  ['signed == signed', /must read a field of signed/],
  ['signed.body.size == 0.25', /floating-point.*decimal\("0.25"\)/],
  ['double(signed.body.size) < 1.0', /double\(\)|floating-point/],
  ['signed.path.matches("(a+)+$")', /matches\(\)/],
  ['int(signed.body.size) <= 10', /int\(\), which is not available in policies/],
  ['signed.method == "Post"', /signed\.method.*upper case.*"POST"/],
  ['signed.method in ["GET", "head"]', /signed\.method.*upper case.*"HEAD"/],
  ['signed.body.size <= "10"', /compares characters.*decimal\("10"\)/],
  ['signed.body["si" + "ze"] == "1"', /computed index/],
  ['signed.body[principal] == "1"', /computed index/],
  ['signed.body.legs.filter(x, true)[signed.body.leverage] == 1', /computed index/],
  ['signed.body.legs.all(now, true)', /reserved name now/],
  ['signed.body.legs.all(signed, true)', /reserved name signed|must read a field of signed/],
  ['signed.body.legs.all(x, x.fills.all(x, x == 1))', /name x for the variables of two nested loops/],
];

/** Loops that could take unbounded time, and what the reason names. */
const UNBOUNDED: readonly (readonly [string, RegExp])[] = [
  ['signed.body.legs.all(x, signed.body.legs.all(y, x == y))', /nested loop.*field of x/],
  ['signed.body.legs.exists(x, x.fills.all(y, x.fills.all(z, y == z)))', /nested loop.*field of y/],
  ['signed.body.legs.map(x, [x, x]).all(x, size(x) == 2)', /a loop that is not over a field of signed/],
  ['(signed.body.legs + signed.body.legs).all(x, x == 1)', /a loop that is not over a field of signed/],
  ['["a", signed.path].all(x, x == "/")', /a loop that is not over a field of signed/],
  [
    `[${Array(101).fill('"a"').join()}].all(x, x == "a")`,
    /a loop that is not over a field of signed.*at most 100 string literals/,
  ],
  ['signed.body.legs.all(x, ["a"].all(y, x == y))', /nested loop/],
  ['["a"].all(x, ["b"].all(y, x == y))', /a nested loop/],
  ['signed.body.legs.all(x, signed.path.startsWith(x.side))', /uses signed in a loop/],
  ['signed.body.legs.all(x, x.side in signed.body.legs)', /uses signed in a loop/],
  ['signed.body.legs.all(x, (true ? signed.path : "").startsWith(x.side))', /uses signed in a loop/],
  ['signed.body.legs.all(x, [signed.path][0].startsWith(x.side))', /uses signed in a loop/],
  ['signed.body.legs.all(x, x.fills.all(y, size(x) == y))', /uses x in a loop/],
  ['signed.body.legs.all(x, x.fills.all(y, signed.path == x.side))', /uses signed in a loop/],
  ['signed.body.legs.all(x, now.getHours("Europe/Berlin") > 8 || x.side == "buy")', /time zone in a loop/],
  ['now.getHours(signed.body.zone) > 8', /computed time zone/],
  ['signed.path.contains(signed.body.size)', /contains\(\) with a value from the request/],
  ['size(signed.path.split(signed.body.size)) == 1', /split\(\) with a value from the request/],
  ['signed.body.legs.all(x, signed.body.size.indexOf(x.side) == 0)', /indexOf\(\) with a value from the request/],
  ['signed.body.legs.all(x, x.fills.filter(y, size(x) > 1).size() == 1)', /uses x in a loop/],
];

describe('CelPolicyLanguage', () => {
  const language = new CelPolicyLanguage();

  function evaluate(expression: string, facts: PolicyFacts = FACTS): boolean {
    const compiled = language.compile(expression, FIELDS);
    if (!compiled.ok) throw new Error(`${expression} ${compiled.refusal}`);
    return compiled.value.matches(facts);
  }

  for (const expression of [...TRUE, ...EXACT]) {
    it(`decides ${expression.slice(0, 120)}`, () => {
      expect(evaluate(expression)).to.equal(true);
      expect(evaluate(`!(${expression})`)).to.equal(false);
    });
  }

  for (const expression of UNDECIDABLE) {
    it(`cannot decide ${expression.slice(0, 80)}`, () => {
      expect(() => evaluate(expression)).to.throw(Error);
    });
  }

  for (const [expression, reason] of [...INVALID, ...UNBOUNDED]) {
    it(`does not compile ${expression.slice(0, 80)}`, () => {
      const compiled = language.compile(expression, FIELDS);
      expect(compiled.ok ? '' : compiled.refusal).to.match(reason);
    });
  }

  for (const [sum, expected] of AMOUNTS) {
    it(`computes ${sum.slice(0, 80)}`, () => {
      const compiled = language.compileAmount(sum, FIELDS);
      if (!compiled.ok) throw new Error(compiled.refusal);
      expect(compiled.value.compute(FACTS).text).to.equal(expected);
    });
  }

  for (const sum of ['decimal(signed.body.amount)', 'decimal(signed.path)', 'signed.body.note * decimal("2")']) {
    it(`cannot compute ${sum}`, () => {
      const compiled = language.compileAmount(sum, FIELDS);
      if (!compiled.ok) throw new Error(compiled.refusal);
      expect(() => compiled.value.compute(FACTS)).to.throw();
    });
  }

  for (const sum of ['true', 'signed.path', 'signed.body.size', 'decimal(signed.text)', '0.5', 'signed.']) {
    it(`takes no amount from ${sum}`, () => {
      const compiled = language.compileAmount(sum, FIELDS);
      expect(compiled.ok).to.equal(false);
    });
  }

  it('accepts a loop over the element of a loop', () => {
    const legs = [new Map([['fills', [1n, 2n]]])];
    const facts = { ...FACTS, signed: { body: new Map([['legs', legs]]) } };
    expect(evaluate('signed.body.legs.all(leg, leg.fills.all(fill, fill > 0))', facts)).to.equal(true);
  });

  it('cannot decide on a field that could not be decoded, also by has()', () => {
    const facts = { ...FACTS, signed: { path: '/orders' } };
    expect(() => evaluate('signed.body.size == "1"', facts)).to.throw(Error);
    expect(() => evaluate('has(signed.body.size)', facts)).to.throw(Error);
  });

  for (const inherited of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    it(`finds no inherited member ${inherited}`, () => {
      expect(() => evaluate(`signed.body.${inherited} == "a"`)).to.throw(Error);
      expect(() => evaluate(`signed.query.${inherited} == "a"`)).to.throw(Error);
      expect(evaluate(`"${inherited}" in signed.body || "${inherited}" in signed.query`)).to.equal(false);
      expect(language.compile(`signed.${inherited} == "a"`, FIELDS).ok).to.equal(false);
    });
  }

  it('names the fields that a condition reads', () => {
    const compiled = language.compile('signed.path == "/" && has(signed.body.a) && signed["path"] != ""', FIELDS);
    expect(compiled.ok && compiled.value.fields).to.have.members(['path', 'body']);
  });

  it('rejects expressions that are too deep or too long to check', () => {
    for (const expression of [`${'('.repeat(200)}true${')'.repeat(200)}`, Array(6000).fill('true').join(' && ')]) {
      expect(language.compile(expression, FIELDS).ok).to.equal(false);
    }
  });
});
