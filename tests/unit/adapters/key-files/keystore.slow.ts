import { expect } from 'chai';
import { decodeKeystore } from '../../../../src/adapters/key-files/keystore.ts';
import { decodedText } from './decoder-outcomes.ts';
import { SCRYPT_VECTOR, VECTOR_PASSWORD, VECTOR_PRIVATE_KEY } from './keystores.ts';

describe('decodeKeystore', () => {
  it('decrypts the scrypt vector of the specification', function () {
    // Takes seconds.
    this.timeout(120_000);
    const password = Buffer.from(VECTOR_PASSWORD);
    const decode = (text: Buffer, output: Buffer) => decodeKeystore(text, password, output);
    expect(decodedText(decode, JSON.stringify(SCRYPT_VECTOR), 32).toString('hex')).to.equal(VECTOR_PRIVATE_KEY);
  });
});
