import { expect } from 'chai';
import { TypedDataEncoder } from 'ethers';
import { wrapAsTypedData } from '../../../../src/domain/payload/typed-data-payload.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { expectBytes } from './payload-expectations.ts';

const DOMAIN = {
  name: 'AsterSignTransaction',
  version: '1',
  chainId: 1666,
  verifyingContract: '0x0000000000000000000000000000000000000000',
};

const WRAP = { domain: DOMAIN, primaryType: 'Message', member: 'msg' };

describe('wrapAsTypedData', () => {
  it('makes the text the one member of a message', () => {
    for (const text of ['', 'symbol=BTCUSDT&side=BUY', 'é🚀', 'x'.repeat(10_000)]) {
      const encoded = TypedDataEncoder.encode(DOMAIN, { Message: [{ name: 'msg', type: 'string' }] }, { msg: text });
      const outcome = wrapAsTypedData(text, WRAP, payloadContext());
      expectBytes(outcome, encoded.slice(2), encoded.slice(2));
      expect(outcome.ok && outcome.value.encoding).to.equal('hex');
    }
  });

  it('throws for a wrap that can not be encoded, naming the place', () => {
    const faulty = [
      { ...WRAP, domain: { chainId: 'one' } },
      { ...WRAP, primaryType: 'uint256' },
      { ...WRAP, primaryType: '__proto__' },
      { ...WRAP, member: 'a,b' },
      { ...WRAP, member: '__proto__' },
    ];
    for (const wrap of faulty) {
      expect(() => wrapAsTypedData('text', wrap, payloadContext()), JSON.stringify(wrap)).to.throw(
        /^The rule's typedData can't be encoded: data\./,
      );
    }
  });
});
