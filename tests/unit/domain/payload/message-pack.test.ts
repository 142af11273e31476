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

  it('throws for numbers that are not safe integers', () => {
    for (const value of [0.5, 1e-7, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => messagePack([{ value }]), String(value)).to.throw(RangeError);
    }
  });
});
