import { expect } from 'chai';
import fc from 'fast-check';
import { AccountSelection } from '../../../../src/domain/model/account-selection.ts';
import { WildcardPattern } from '../../../../src/domain/model/wildcard-pattern.ts';

/** Of some accounts, those that the patterns name. */
function named(...patterns: readonly string[]): readonly string[] {
  const selection = new AccountSelection(patterns);
  const accounts = ['alpha/main', 'alpha/hedge', 'alpha/main-2', 'beta/main', 'alphabet/main'];
  return accounts.filter((account) => {
    const [platformId = '', accountId = ''] = account.split('/');
    return selection.includes(platformId, accountId);
  });
}

describe('AccountSelection', () => {
  it('names nothing by no pattern', () => expect(named()).to.deep.equal([]));

  it('names an account by its ids', () => expect(named('alpha/main')).to.deep.equal(['alpha/main']));

  it('names those of a platform, and not those of one whose id begins alike', () => {
    expect(named('alpha/*')).to.deep.equal(['alpha/main', 'alpha/hedge', 'alpha/main-2']);
  });

  it('names one account of every platform, all accounts, and accounts by parts of both ids', () => {
    expect(named('*/main')).to.deep.equal(['alpha/main', 'beta/main', 'alphabet/main']);
    expect(named('*/*')).to.have.length(5);
    expect(named('alpha*/main*')).to.deep.equal(['alpha/main', 'alpha/main-2', 'alphabet/main']);
  });

  it('names what any of its patterns names', () => {
    expect(named('alpha/hedge', 'beta/*', 'alpha/main-*', '*bet/main')).to.deep.equal([
      'alpha/hedge',
      'alpha/main-2',
      'beta/main',
      'alphabet/main',
    ]);
  });

  it('tells those that are named by their ids, and whether there are stars', () => {
    const selection = new AccountSelection(['alpha/main', 'beta/*', 'alpha/hedge', '*/main']);
    expect([...selection.named()]).to.have.deep.members([
      { platformId: 'alpha', accountId: 'main' },
      { platformId: 'alpha', accountId: 'hedge' },
    ]);
    expect(selection.hasPatterns).to.equal(true);
    expect(new AccountSelection(['alpha/main']).hasPatterns).to.equal(false);
  });

  it('keeps platform and account apart, whatever stands in the ids', () => {
    const selection = new AccountSelection(['a/b:c', '__proto__/x', 'constructor/*']);
    expect(selection.includes('a', 'b:c')).to.equal(true);
    expect(selection.includes('a:b', 'c')).to.equal(false);
    expect(selection.includes('__proto__', 'x')).to.equal(true);
    expect(selection.includes('toString', 'x')).to.equal(false);
    expect(selection.includes('constructor', 'name')).to.equal(true);
  });

  it('agrees with matching each half of each pattern', () => {
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
