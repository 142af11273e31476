import { expect } from 'chai';
import fc from 'fast-check';
import { ACCOUNT_OPERATIONS, OPERATIONS, SERVICE_OPERATIONS } from '../../../../src/domain/model/operations.ts';
import { AccountSelection, type PermissionEntry, Permissions } from '../../../../src/domain/model/permissions.ts';
import { WildcardPattern } from '../../../../src/domain/model/text/wildcard-pattern.ts';

describe('Permissions', () => {
  for (const [what, entries, isAllowed] of [
    ['every caller everything without a list', null, true],
    ['no caller anything with an empty list', [], false],
    [
      'with * every operation, also to unauthenticated callers that are named',
      [{ principals: ['*', 'anonymous'], accounts: ['*/*'], operations: ['*'] }],
      true,
    ],
  ] as const) {
    it(`allow ${what}`, () => {
      const permissions = new Permissions(entries);
      expect(permissions.isOpen).to.equal(entries === null);
      expect(permissions.entryCount).to.equal(entries?.length ?? null);
      expect(permissions.allowsAnonymous).to.equal(isAllowed);
      for (const principal of ['desk-7', null]) {
        for (const operation of SERVICE_OPERATIONS) {
          expect(permissions.allows(principal, operation)).to.equal(isAllowed);
        }
        for (const operation of ACCOUNT_OPERATIONS) {
          expect(permissions.allows(principal, operation, { platformId: 'alpha', accountId: 'main' })).to.equal(
            isAllowed,
          );
          expect(permissions.allows(principal, operation)).to.equal(isAllowed);
        }
      }
    });
  }

  it('match unauthenticated callers only by anonymous, never by *, and no others by anonymous', () => {
    const everybody = new Permissions([{ principals: ['*', 'a*', 'anon*'], operations: ['status'] }]);
    expect(everybody.allows('desk-7', 'status')).to.equal(true);
    expect(everybody.allows(null, 'status')).to.equal(false);
    expect(everybody.allowsAnonymous).to.equal(false);
    const anonymous = new Permissions([{ principals: ['anonymous'], operations: ['status'] }]);
    expect(anonymous.allows(null, 'status')).to.equal(true);
    expect(anonymous.allowsAnonymous).to.equal(true);
    expect(anonymous.allows('anonymous', 'status')).to.equal(false);
    expect(anonymous.allows('null', 'status')).to.equal(false);
  });

  it('do not match callers by inherited properties', () => {
    const permissions = new Permissions([{ principals: ['constructor'], operations: ['status'] }]);
    for (const name of ['__proto__', 'toString']) expect(permissions.allows(name, 'status')).to.equal(false);
  });

  it('agree with a linear scan of the list, for any number of queries and callers', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 2 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 3 });
    const entry: fc.Arbitrary<PermissionEntry> = fc.record({
      principals: fc.array(fc.oneof(pattern, fc.constant('anonymous')), { minLength: 1, maxLength: 3 }),
      accounts: fc.array(
        fc.oneof(fc.tuple(pattern, pattern), fc.tuple(name, name)).map((halves) => halves.join('/')),
        { minLength: 1, maxLength: 3 },
      ),
      operations: fc.oneof(
        fc.constant<PermissionEntry['operations']>(['*']),
        fc.subarray([...OPERATIONS], { minLength: 1 }),
      ),
    });
    // A caller with many plain entries is looked up by account.
    const plain: fc.Arbitrary<PermissionEntry> = fc.record({
      principals: fc.tuple(fc.constantFrom('a', 'b')),
      accounts: fc.tuple(fc.tuple(name, name).map((ids) => ids.join('/'))),
      operations: fc.tuple(fc.constantFrom(...OPERATIONS)),
    });
    const anyEntries = fc.tuple(fc.array(entry, { maxLength: 10 }), fc.array(plain, { maxLength: 60, size: 'max' }));
    const question = fc.record({
      principal: fc.option(name),
      operation: fc.constantFrom(...ACCOUNT_OPERATIONS),
      serviceOperation: fc.constantFrom(...SERVICE_OPERATIONS),
      platformId: name,
      accountId: name,
    });
    fc.assert(
      fc.property(anyEntries, fc.array(question, { maxLength: 10, size: 'max' }), (lists, questions) => {
        const entries = lists.flat();
        const permissions = new Permissions(entries);
        for (const { principal, operation, serviceOperation, platformId, accountId } of questions) {
          const own = entries.filter(({ principals }) => names(principals, principal));
          const allowing = (wanted: string) =>
            own.filter(({ operations }) => operations.some((each) => each === '*' || each === wanted));
          const onAccount = allowing(operation).some(({ accounts = [] }) =>
            accounts.some((account) => new WildcardPattern(account).matches(`${platformId}/${accountId}`)),
          );
          expect(permissions.allows(principal, operation, { platformId, accountId })).to.equal(onAccount);
          expect(permissions.allows(principal, operation)).to.equal(allowing(operation).length > 0);
          expect(permissions.allows(principal, serviceOperation)).to.equal(allowing(serviceOperation).length > 0);
        }
      }),
      { numRuns: 150 },
    );
  });
});

function names(principals: readonly string[], principal: string | null): boolean {
  if (principal === null) return principals.includes('anonymous');
  return principals.some((pattern) => pattern !== 'anonymous' && new WildcardPattern(pattern).matches(principal));
}

describe('AccountSelection', () => {
  it('returns the accounts named by id, and whether it has wildcards', () => {
    const selection = new AccountSelection(['alpha/main', 'beta/*', 'alpha/hedge', '*/main']);
    expect([...selection.named()]).to.have.deep.members([
      { platformId: 'alpha', accountId: 'main' },
      { platformId: 'alpha', accountId: 'hedge' },
    ]);
    expect(selection.hasPatterns).to.equal(true);
    expect(new AccountSelection(['alpha/main']).hasPatterns).to.equal(false);
  });

  it('keeps platform and account ids apart, whatever characters they contain', () => {
    const selection = new AccountSelection(['a/b:c', '__proto__/x', 'constructor/*']);
    expect(selection.includes('a', 'b:c')).to.equal(true);
    expect(selection.includes('a:b', 'c')).to.equal(false);
    expect(selection.includes('__proto__', 'x')).to.equal(true);
    expect(selection.includes('toString', 'x')).to.equal(false);
    expect(selection.includes('constructor', 'name')).to.equal(true);
  });

  it('agrees with matching each half of each pattern separately', () => {
    const half = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 3 });
    const id = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(half, half), { maxLength: 5 }), id, id, (halves, platformId, accountId) => {
        const selection = new AccountSelection(halves.map((both) => both.join('/')));
        const expected = halves.some(
          ([platform, account]) =>
            new WildcardPattern(platform).matches(platformId) && new WildcardPattern(account).matches(accountId),
        );
        expect(selection.includes(platformId, accountId)).to.equal(expected);
      }),
    );
  });
});
