import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { decodePlainKey } from '../../../src/secure-memory/plain-key.ts';

describe('decodePlainKey', () => {
  /** What is read; undefined where it is no such key. */
  function decode(content: string | Uint8Array, length = 32): Buffer | undefined {
    const key = Buffer.alloc(length);
    return decodePlainKey(Buffer.from(content), key) ? key : undefined;
  }

  it('reads raw bytes, whatever they are but hex digits alone', () => {
    for (let round = 0; round < 200; round += 1) {
      const key = Buffer.concat([randomBytes(31), Buffer.from('\n')]);
      expect(decode(key)).to.deep.equal(key);
    }
    expect(decode('0123456789abcdefABCDEF0123456789')).to.equal(undefined);
    expect(decode('0123456789abcdefABCDEF012345678\n')).to.deep.equal(Buffer.from('0123456789abcdefABCDEF012345678\n'));
  });

  it('reads hex digits of either case, with one line break behind them or none', () => {
    const key = randomBytes(32);
    const hex = key.toString('hex');
    for (const text of [hex, hex.toUpperCase(), `${hex}\n`, `${hex}\r\n`]) expect(decode(text)).to.deep.equal(key);
  });

  it('reads nothing else', () => {
    const hex = 'ab'.repeat(32);
    for (const text of [
      '',
      hex.slice(1),
      `${hex}0`,
      `${hex}\n\n`,
      `0x${hex}`,
      `0x${hex.slice(2)}`,
      ` ${hex.slice(1)}`,
    ]) {
      expect(decode(text), text).to.equal(undefined);
    }
  });
});
