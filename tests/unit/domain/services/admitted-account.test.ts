import { setFlagsFromString } from 'node:v8';
import { expect } from 'chai';
import type { Account } from '../../../../src/domain/model/account.ts';
import { admittedAccount } from '../../../../src/domain/services/admitted-account.ts';
import type { CredentialAccount } from '../../../../src/ports/credential-source.ts';

/** More than V8 needs to replace code by a faster form, in which it may make other objects. */
const MANY = 5000;

function credential(number: number, more: Partial<CredentialAccount> = {}): CredentialAccount {
  return {
    platformId: 'alpha',
    accountId: `account-${number}`,
    alias: 'Main',
    status: 'active',
    environment: 'test',
    algorithm: 'ed25519',
    publicKey: null,
    createdAt: null,
    path: `accounts[${number}]`,
    withPrivateKey: () => expect.fail('no key is needed'),
    ...more,
  };
}

function admitted(number: number, more: Partial<CredentialAccount> = {}): Account {
  const key = { handle: { id: `key-${number}` }, publicKey: `public-${number}` };
  return admittedAccount(credential(number, more), '2026-11-20T00:00:00.000Z', key);
}

describe('admittedAccount', () => {
  it('is the account as configured, with the time and the key that it is given', () => {
    expect(admitted(7)).to.deep.equal({
      platformId: 'alpha',
      accountId: 'account-7',
      alias: 'Main',
      status: 'active',
      environment: 'test',
      algorithm: 'ed25519',
      publicKey: 'public-7',
      createdAt: '2026-11-20T00:00:00.000Z',
      key: { id: 'key-7' },
    });
  });

  it('has the values and the name of its key where there are any, and no such member otherwise', () => {
    const values = { vault: '0x00' };
    expect(admitted(1, { values, keyRevision: 'v1.a' })).to.include({ values, keyRevision: 'v1.a' });
    expect(admitted(1)).not.to.have.any.keys('values', 'keyRevision');
  });

  it('shares one hidden class with all others that have the same members', () => {
    setFlagsFromString('--allow-natives-syntax');
    // Only V8 itself can tell; the parser knows its syntax from here on.
    const haveSameMap = new Function('left', 'right', 'return %HaveSameMap(left, right)');
    const accounts = Array.from({ length: MANY }, (_, number) => admitted(number, { keyRevision: `v1.${number}` }));
    const differing = accounts.filter((account, number) => !haveSameMap(account, accounts[number - 1] ?? account));
    expect(haveSameMap({ a: 1 }, { b: 1 })).to.equal(false);
    // Classes change while V8 learns what their fields hold.
    expect(differing.length).to.be.below(10);
  });
});
