import { expect } from 'chai';
import { TypedDataEncoder } from 'ethers';
import { typedDataInteger, wrapAsTypedData } from '../../../../src/domain/payload/eip712.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { expectBytes } from './payload-expectations.ts';

describe('typedDataInteger', () => {
  it('parses JSON numbers, decimal digits and 0x-hex', () => {
    const cases = [
      [0, 0n],
      [-0, 0n],
      [-5, -5n],
      [Number.MAX_SAFE_INTEGER, 9007199254740991n],
      ['0', 0n],
      ['-1', -1n],
      ['115792089237316195423570985008687907853269984665640564039457584007913129639935', 2n ** 256n - 1n],
      ['0x66eee', 421614n],
      ['0x00FF', 255n],
      [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    ] as const;
    for (const [text, value] of cases) expect(typedDataInteger(text), String(text)).to.equal(value);
  });

  it('rejects anything else', () => {
    const others = [undefined, null, true, [], {}, 0.5, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN];
    const texts = [
      '',
      '-',
      '-0',
      '00',
      '01',
      '+1',
      ' 1',
      '1 ',
      '1\n',
      '1.0',
      '1e3',
      '0x',
      '-0x1',
      '0X1',
      '0xg',
      '0b1',
      '0o7',
      '١',
    ];
    for (const value of [...others, ...texts, '9'.repeat(79), `0x${'0'.repeat(65)}`]) {
      expect(typedDataInteger(value as string), JSON.stringify(value)).to.equal(undefined);
    }
  });
});

const DOMAIN = {
  name: 'AsterSignTransaction',
  version: '1',
  chainId: 1666,
  verifyingContract: '0x0000000000000000000000000000000000000000',
};

const WRAP = { domain: DOMAIN, primaryType: 'Message', member: 'msg' };

describe('wrapAsTypedData', () => {
  it('wraps the text as the only member of a message', () => {
    for (const text of ['', 'symbol=BTCUSDT&side=BUY', 'é🚀', 'x'.repeat(10_000)]) {
      const encoded = TypedDataEncoder.encode(DOMAIN, { Message: [{ name: 'msg', type: 'string' }] }, { msg: text });
      const outcome = wrapAsTypedData(text, WRAP, payloadContext());
      expectBytes(outcome, encoded.slice(2), encoded.slice(2));
      expect(outcome.ok && outcome.value.encoding).to.equal('hex');
    }
  });

  it('throws for a wrap that cannot be encoded, naming the path', () => {
    const faulty = [
      { ...WRAP, domain: { chainId: 'one' } },
      { ...WRAP, primaryType: 'uint256' },
      { ...WRAP, primaryType: '__proto__' },
      { ...WRAP, member: 'a,b' },
      { ...WRAP, member: '__proto__' },
    ];
    for (const wrap of faulty) {
      expect(() => wrapAsTypedData('text', wrap, payloadContext()), JSON.stringify(wrap)).to.throw(
        /^Cannot encode the typedData of the rule: data\./,
      );
    }
  });
});
