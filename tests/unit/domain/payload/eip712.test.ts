import { expect } from 'chai';
import { wrapAsTypedData } from '../../../../src/domain/payload/eip712.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';

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
