import { expect } from 'chai';
import { toVenuePolicy } from '../../../../src/adapters/venues/venue-policies.ts';
import { checkPolicies } from '../../../../src/app/doctor/policies.ts';
import type { PolicyEntry } from '../../../../src/domain/model/policy.ts';
import { parseCredentials } from '../../../doubles/credential-builder.ts';
import { presetOf } from '../../../harness/venue-vectors.ts';

const ACCOUNT = { algorithm: 'ed25519', status: 'active', environment: 'production', key: { file: 'k' } } as const;

function entry(name: string, accounts: readonly string[], more: Partial<PolicyEntry> = {}): PolicyEntry {
  return { name, accounts, effect: 'deny', when: 'signed.text == ""', ...more };
}

function check(...policies: readonly PolicyEntry[]) {
  return checkPolicies(
    parseCredentials({
      version: 1,
      platforms: [{ platformId: 'alpha', format: 'any' }],
      accounts: ['main', 'hot'].map((accountId) => ({ platformId: 'alpha', accountId, ...ACCOUNT })),
      policies: policies.map(({ principals: _, accounts, ...policy }) => ({ ...policy, accounts: [...accounts] })),
    }),
  );
}

describe('checkPolicies', () => {
  it('checks budgets like policies', async () => {
    const budget = { name: 'daily', accounts: ['alpha/main'], sum: 'size(signed.text)', max: '10', windowSeconds: 60 };
    const checkBudgets = (...budgets: (typeof budget)[]) => {
      const platforms = [{ platformId: 'alpha', format: 'any' } as const];
      const accounts = [{ platformId: 'alpha', accountId: 'main', ...ACCOUNT }];
      return checkPolicies(parseCredentials({ version: 1, platforms, accounts, budgets }));
    };
    expect((await checkBudgets(budget)).map(({ message }) => message)).to.deep.equal(['entries: 0, budgets: 1']);
    const [failed] = await checkBudgets({ ...budget, sum: 'signed.path' });
    expect(failed).to.deep.include({ state: 'fail' });
    expect(failed?.message).to.match(/^budgets\[0\]\.sum: \(daily, for platform alpha\) reads signed\.path/);
    const warned = await checkBudgets({ ...budget, accounts: ['alpha/mian'] });
    expect(warned[1]?.message).to.include('budgets[0].accounts[0]');
    expect(warned[2]?.message).to.include('daily: no effect');
  });

  it('warns about accounts without a policy, also where the venue has no ready-made ones', async () => {
    const [finding, ...more] = await check(entry('a', ['alpha/hot']));
    expect(more).to.deep.equal([]);
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.match(/^alpha\/main: no policy.* may sign anything/);
  });

  describe('where the venue has ready-made policies', () => {
    const KRAKEN = {
      ...({ format: 'any', encoding: 'base64' } as const),
      ...({ payload: { rule: 'kraken' }, secretDecoding: 'base64' } as const),
    };
    const checkKraken = (...policies: readonly PolicyEntry[]) =>
      checkPolicies(
        parseCredentials({
          version: 1,
          platforms: ['kraken', 'desk'].map((platformId) => ({ platformId, ...KRAKEN, algorithms: ['hmac-sha512'] })),
          accounts: ['kraken', 'desk'].map((platformId) => ({
            ...ACCOUNT,
            ...{ platformId, accountId: 'main', algorithm: 'hmac-sha512' as const },
          })),
          policies: policies.map(({ principals: _, accounts, ...policy }) => ({ ...policy, accounts: [...accounts] })),
        }),
      );
    const current = toVenuePolicy(presetOf('kraken'), 'no-withdrawals', 'kraken', [])?.entry as PolicyEntry;
    const ofDesk = entry('desk', ['desk/*'], { when: 'false' });

    it('warns about accounts without a policy, with the command', async () => {
      const [finding, ...more] = await checkKraken(ofDesk);
      expect(more).to.deep.equal([]);
      expect(finding?.state).to.equal('warning');
      expect(finding?.message).to.match(/^kraken\/main: no policy.* withdrawals$/);
      expect(finding?.remedy).to.include('policy add --platform kraken --preset kraken --policy trade-only');
    });

    it('warns about a ready-made policy with another condition than this version has', async () => {
      expect((await checkKraken(ofDesk, current)).map(({ state }) => state)).to.deep.equal(['ok']);
      const old = { ...current, when: 'signed.path == "/0/private/Withdraw"' };
      const [finding, ...more] = await checkKraken(ofDesk, old);
      expect(more).to.deep.equal([]);
      expect(finding?.state).to.equal('warning');
      expect(finding?.message).to.match(/^kraken-no-withdrawals: other conditions than/);
      expect(finding?.remedy).to.include('policy add');
    });
  });

  it('fails if policies do not compile, with the place and the reason of each', async () => {
    const wrong = { when: 'signed.path == "/orders"' };
    const [finding, ...more] = await check(entry('a', ['alpha/*'], wrong), entry('b', ['alpha/*'], { when: 'signed' }));
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'policies', state: 'fail' });
    expect(finding?.message).to.match(
      /^policies\[0\]\.when: \(a, for platform alpha\) reads signed\.path, .*; policies\[1\]\.when: \(b, /,
    );
  });

  it('warns about unknown accounts and platforms, by path', async () => {
    const [finding, ...more] = await check(entry('a', ['alpha/*', 'alpha/mian', 'beta/*', '*/x']));
    expect(more).to.deep.equal([]);
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.match(/^policies\[0\]\.accounts\[1\], policies\[0\]\.accounts\[2\]: no such account/);
  });

  it('warns about policies that are about no account, by name', async () => {
    const [finding, ...more] = await check(entry('a', ['alpha/*']), entry('b', ['*/x']), entry('c', ['alpha/x*']));
    expect(more).to.deep.equal([]);
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.match(/^b, c: no effect/);
  });

  it('warns about accounts with policies in audit mode alone', async () => {
    const policies = [entry('a', ['alpha/*'], { mode: 'audit' }), entry('b', ['alpha/hot'])];
    const [finding, ...more] = await check(...policies);
    expect(more).to.deep.equal([]);
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.match(/^alpha\/main: only policies in audit mode/);
  });
});
