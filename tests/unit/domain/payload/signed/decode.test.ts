import { expect } from 'chai';
import { Decimal, type SignedValue } from '../../../../../src/domain/model/payload.ts';
import { decodeJson } from '../../../../../src/domain/payload/signed/decode-json.ts';
import { decodeParameters } from '../../../../../src/domain/payload/signed/decode-parameters.ts';
import { Spellings } from '../../../../../src/domain/payload/signed/signed-value.ts';

const NO_SPELLINGS = new Spellings([]);

/** As plain data: maps as objects, whole numbers as `20n`, decimals as `0.1d`. */
function plain(value: SignedValue | undefined): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Decimal) return `${value.text}d`;
  return typeof value === 'bigint' ? `${value}n` : value;
}

describe('decodeJson', () => {
  for (const [text, value] of [
    ['{}', {}],
    ['[]', []],
    [' {\t"a" :\r\n[ true , false, null ] } ', { a: [true, false, null] }],
    ['{"a":"b","c":{"d":[1,-2,0.5,1e3]}}', { a: 'b', c: { d: ['1n', '-2n', '0.5d', '1000n'] } }],
    ['{"\\u0061":"\\ud83d\\ude00\\n \\"\\\\/"}', { a: '😀\n "\\/' }],
    ['{"é":"\u007f\u0085\u2028"}', { é: '\u007f\u0085\u2028' }],
    ['{"a":0.10000000000000000000000001}', { a: '0.10000000000000000000000001d' }],
    ['[[["deep"]]]', [[['deep']]]],
    ['{"":1,"a b":2}', { '': '1n', 'a b': '2n' }],
  ] as const) {
    it(`decodes ${text}`, () => {
      expect(plain(decodeJson(text, NO_SPELLINGS))).to.deep.equal(value);
    });
  }

  for (const [name, text] of [
    ['nothing', ''],
    ['a text', '"a"'],
    ['a duplicate name', '{"a":1,"a":1}'],
    ['a duplicate name by an escape', '{"a":1,"\\u0061":2}'],
    ['a duplicate name in other case', '{"amount":1,"Amount":2}'],
    ['a name with a control character', '{"a\\u0000":1}'],
    ['text behind it', '{} x'],
    ['a comma at the end', '{"a":1,}'],
    ['another sign than a colon', '{"a";1}'],
    ['a name without quotes', '{a:1}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{"a":1/**/}'],
    ['a leading zero', '{"a":01}'],
    ['NaN', '{"a":NaN}'],
    ['an unfinished text', '{"a":"b'],
    ['a control character in a text', '{"a":"\n"}'],
    ['an unknown escape', '{"a":"\\x41"}'],
    ['a lone surrogate', '{"a":"\ud800"}'],
    ['a lone surrogate by an escape', '{"a":"\\ud800"}'],
    ['a byte order mark', '\ufeff{}'],
    ['a no-break space', '{\u00a0}'],
    ['a number of 1001 digits', `{"a":${'1'.repeat(1001)}}`],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['4097 values', `[${Array(4096).fill('1').join()}]`],
    ['65,537 characters', `["${'a'.repeat(65_533)}"]`],
  ] as const) {
    it(`does not decode ${name}`, () => {
      expect(decodeJson(text, NO_SPELLINGS)).to.equal(undefined);
    });
  }

  it('decodes up to its limits', () => {
    expect(decodeJson(`${'['.repeat(64)}${']'.repeat(64)}`, NO_SPELLINGS)).to.be.an('array');
    expect(decodeJson(`[${Array(4095).fill('1').join()}]`, NO_SPELLINGS)).to.have.length(4095);
    expect(decodeJson(`["${'a'.repeat(65_532)}"]`, NO_SPELLINGS)).to.have.length(1);
    expect(decodeJson(`[${'1'.repeat(1000)}]`, NO_SPELLINGS)).to.have.length(1);
  });
});

describe('decodeParameters', () => {
  for (const [text, encoding, value] of [
    ['', 'percent', {}],
    ['a=1&b=', 'percent', { a: '1', b: '' }],
    ['a=b=c', 'percent', { a: 'b=c' }],
    ['a%20b=c%26d%3D%2B%c3%a9', 'percent', { 'a b': 'c&d=+é' }],
    ['a=b c%20+', 'none', { a: 'b c%20+' }],
  ] as const) {
    it(`decodes ${text} (${encoding})`, () => {
      const decoded = decodeParameters(text, encoding, NO_SPELLINGS);
      expect(Object.fromEntries(decoded ?? [])).to.deep.equal(value);
      expect(decoded).not.to.equal(undefined);
    });
  }

  for (const [name, text, encoding] of [
    ['a duplicate name', 'a=1&a=2', 'percent'],
    ['a duplicate name by its encoding', 'a=1&%61=2', 'percent'],
    ['a duplicate name in other case', 'a=1&A=2', 'none'],
    ['a name without =', 'a', 'percent'],
    ['an empty name', '=1', 'percent'],
    ['a plus', 'a=b+c', 'percent'],
    ['a semicolon', 'a=b;c=d', 'percent'],
    ['a name outside ASCII', 'é=b', 'percent'],
    ['an unfinished encoding', 'a=%4', 'percent'],
    ['bytes that are not UTF-8', 'a=%ff', 'percent'],
    ['4097 parameters', Array.from({ length: 4097 }, (_, index) => `a${index}=1`).join('&'), 'percent'],
    ['65,537 characters', `a=${'1'.repeat(65_535)}`, 'none'],
  ] as const) {
    it(`does not decode ${name}`, () => {
      expect(decodeParameters(text, encoding, NO_SPELLINGS)).to.equal(undefined);
    });
  }
});
