import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';

function platform(platformId: string): Platform {
  return { platformId, format: 'any', algorithms: ['ed25519'], payload: { rule: 'jcs' } };
}

function account(platformId: string, accountId: string): Account {
  return {
    platformId,
    accountId,
    alias: `${platformId} ${accountId}`,
    status: 'active',
    environment: 'production',
    algorithm: 'ed25519',
    publicKey: `public key of ${platformId} ${accountId}`,
    createdAt: '2026-11-20T00:00:00.000Z',
    key: { id: `${platformId}/${accountId}` },
    keyId: `key of ${accountId}`,
  };
}

describe('Registry', () => {
  const alpha = platform('alpha');
  const beta = platform('beta');
  const alphaMain = account('alpha', 'main');
  const betaMain = account('beta', 'main');
  const alphaSpare = account('alpha', 'spare');
  const registry = new Registry([alpha, beta], [alphaMain, betaMain, alphaSpare]);

  it('does not treat inherited property names as ids', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '__proto__']) {
      expect(registry.platform(name), name).to.equal(undefined);
      expect(registry.account(name, name), name).to.equal(undefined);
      expect(registry.account('alpha', name), name).to.equal(undefined);
      expect(registry.accounts(name), name).to.deep.equal([]);
    }
  });

  it('keeps ids apart that are equal when joined', () => {
    const joined = new Registry([platform('a'), platform('a:b')], [account('a', 'b:c'), account('a:b', 'c')]);
    expect(joined.account('a', 'b:c')?.key.id).to.equal('a/b:c');
    expect(joined.account('a:b', 'c')?.key.id).to.equal('a:b/c');
    expect(joined.accountCount).to.equal(2);
  });

  it('counts accounts of a platform named like an inherited property', () => {
    const odd = new Registry([platform('constructor')], [account('constructor', 'toString')]);
    expect(Object.entries(odd.countByPlatform())).to.deep.equal([['constructor', 1]]);
  });

  it('agrees with a plain list on every query', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd');
    const pairs = fc.uniqueArray(fc.tuple(ids, ids), { selector: ([p, a]) => `${p}/${a}` });
    fc.assert(
      fc.property(pairs, ids, ids, (entries, platformId, accountId) => {
        const list = entries.map(([p, a]) => ({ ...account(p, a), status: a < 'c' ? 'active' : 'disabled' }) as const);
        const subject = new Registry(['a', 'b', 'c', 'd'].map(platform), list);
        const ofPlatform = list.filter((one) => one.platformId === platformId);
        expect(subject.accounts()).to.deep.equal(list);
        expect(subject.accounts(platformId)).to.deep.equal(ofPlatform);
        expect(subject.account(platformId, accountId)).to.equal(ofPlatform.find((one) => one.accountId === accountId));
        expect(subject.countByPlatform()[platformId]).to.equal(ofPlatform.length);
        const disabled = ofPlatform.filter(({ status }) => status === 'disabled').length;
        expect(subject.countByStatus(platformId)).to.deep.equal({ active: ofPlatform.length - disabled, disabled });
        expect(subject.accountCount).to.equal(list.length);
      }),
    );
  });
});
