import { expect } from 'chai';
import { encodeTxRaw, readSignDoc } from '../../../../src/domain/payload/sign-doc.ts';
import { COSMJS_VECTORS } from '../../../vectors/cosmos/cosmjs.ts';

/** Fields 3 and 4 of these SignDocs, chain and account number, which a TxRaw does not have. */
const CHAIN_AND_ACCOUNT = /1a0c73696d642d74657374696e672001$/;

describe('encodeTxRaw', () => {
  for (const { sequence, signBytes, signature } of COSMJS_VECTORS) {
    it(`gives the signed transaction of cosmjs for sequence ${sequence}`, () => {
      const read = readSignDoc(Buffer.from(signBytes, 'hex'));
      if (!read.ok) throw new Error(read.refusal);
      const tx = Buffer.from(encodeTxRaw(read.value, Buffer.from(signature, 'hex'))).toString('hex');
      expect(tx).to.equal(signBytes.replace(CHAIN_AND_ACCOUNT, `1a40${signature}`));
    });
  }
});
