import { expect } from 'chai';
import { keyContext } from '../../../../../src/adapters/driven/key-store/sodium-key-store.ts';

describe('keyContext', () => {
  const identity = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;

  it('is what the documentation says', () => {
    expect(keyContext('1', identity).toString()).to.equal('["1","alpha","main","ed25519"]');
  });

  it('is another one when the place or anything of the account is another', () => {
    const contexts = [
      keyContext('1', identity),
      keyContext('2', identity),
      keyContext('1', { ...identity, platformId: 'beta' }),
      keyContext('1', { ...identity, accountId: 'other' }),
      keyContext('1', { ...identity, algorithm: 'eip191' }),
      keyContext('1', { ...identity, platformId: 'alpha","main', accountId: '' }),
      keyContext('1', { ...identity, platformId: 'main', accountId: 'alpha' }),
    ].map(String);
    expect(new Set(contexts).size).to.equal(contexts.length);
  });
});
