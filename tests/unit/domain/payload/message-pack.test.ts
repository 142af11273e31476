import { expect } from 'chai';
import type { JsonValue } from '../../../../src/domain/model/json.ts';
import { messagePack } from '../../../../src/domain/payload/message-pack.ts';

function packed(value: JsonValue): string {
  return Buffer.from(messagePack(value)).toString('hex');
}

/** First bytes of a packed value. */
function head(value: JsonValue, length: number): string {
  return packed(value).slice(0, 2 * length);
}

/** https://github.com/msgpack/msgpack/blob/master/spec.md, both ends of each form's range. */
const INTEGERS: readonly (readonly [number, string])[] = [
  [0, '00'],
  [-0, '00'],
  [127, '7f'],
  [128, 'cc80'],
  [255, 'ccff'],
  [256, 'cd0100'],
  [65_535, 'cdffff'],
  [65_536, 'ce00010000'],
  [4_294_967_295, 'ceffffffff'],
  [4_294_967_296, 'cf0000000100000000'],
  [Number.MAX_SAFE_INTEGER, 'cf001fffffffffffff'],
  [-1, 'ff'],
  [-32, 'e0'],
  [-33, 'd0df'],
  [-128, 'd080'],
  [-129, 'd1ff7f'],
  [-32_768, 'd18000'],
  [-32_769, 'd2ffff7fff'],
  [-2_147_483_648, 'd280000000'],
  [-2_147_483_649, 'd3ffffffff7fffffff'],
  [Number.MIN_SAFE_INTEGER, 'd3ffe0000000000001'],
];

describe('messagePack', () => {
  it('writes each integer in the smallest form that fits', () => {
    for (const [integer, hex] of INTEGERS) expect(packed(integer), String(integer)).to.equal(hex);
  });

  it('writes null, true and false as one byte each', () => {
    expect([null, false, true].map(packed)).to.deep.equal(['c0', 'c2', 'c3']);
  });

  it('writes strings as UTF-8, with their length in bytes', () => {
    expect(packed('')).to.equal('a0');
    expect(packed('é')).to.equal('a2c3a9');
    expect(head('a'.repeat(31), 2)).to.equal('bf61');
    expect(head('é'.repeat(16), 3)).to.equal('d920c3');
    expect(head('a'.repeat(255), 3)).to.equal('d9ff61');
    expect(head('a'.repeat(256), 4)).to.equal('da010061');
    expect(head('a'.repeat(65_535), 4)).to.equal('daffff61');
    expect(head('a'.repeat(65_536), 6)).to.equal('db0001000061');
  });

  it('writes arrays and objects with the number of their elements', () => {
    const elements = (length: number) => Array.from({ length }, () => 0);
    const members = (length: number) => Object.fromEntries(elements(length).map((zero, index) => [`m${index}`, zero]));
    expect(packed([])).to.equal('90');
    expect(head(elements(15), 2)).to.equal('9f00');
    expect(head(elements(16), 4)).to.equal('dc001000');
    expect(head(elements(65_536), 6)).to.equal('dd0001000000');
    expect(packed({})).to.equal('80');
    expect(head(members(15), 4)).to.equal('8fa26d30');
    expect(head(members(16), 6)).to.equal('de0010a26d30');
    expect(head(members(65_536), 8)).to.equal('df00010000a26d30');
  });

  it('writes members in the order in which the object lists them', () => {
    expect(packed({ b: 1, a: 2 })).to.equal('82a16201a16102');
    expect(packed({ a: 2, b: 1 })).to.equal('82a16102a16201');
  });

  it('writes the example of its documentation', () => {
    expect(packed({ type: 'dummy', num: 100_000_000_000 })).to.equal(
      '82a474797065a564756d6d79a36e756dcf000000174876e800',
    );
  });

  it('throws for numbers that are not safe integers', () => {
    for (const value of [0.5, 1e-7, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => messagePack([{ value }]), String(value)).to.throw(RangeError);
    }
  });

  it('accepts a megabyte', () => {
    expect(messagePack({ text: 'a'.repeat(1_000_000) })).to.have.length(1_000_011);
  });
});
