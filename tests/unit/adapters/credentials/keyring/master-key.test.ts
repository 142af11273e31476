import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/keyring/master-key.ts';
import { useWorkplace } from '../credentials-workplace.ts';

const KEY = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff', 'hex');
/**
 * `printf %s signing-service/master-key-id/v1`, BLAKE2b of 32 bytes under KEY, by Python's
 * hashlib.blake2b.
 */
const KEY_ID = '5585bb72d90715a0';

describe('MasterKey', () => {
  const workplace = useWorkplace();
  const fromBytes = (bytes: Buffer) => MasterKey.fill(workplace().vault, (key) => bytes.copy(key));

  it('has an id that another implementation of BLAKE2b computes, and does not show its bytes', () => {
    expect(fromBytes(KEY).id).to.equal(KEY_ID);
    expect(JSON.stringify(fromBytes(KEY))).to.equal(JSON.stringify({ id: KEY_ID }));
  });
});
