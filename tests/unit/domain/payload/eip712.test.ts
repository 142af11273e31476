import { expect } from 'chai';
import { typedDataInteger, wrapAsTypedData } from '../../../../src/domain/payload/eip712.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';

describe('typedDataInteger', () => {
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
