import { expect } from 'chai';
import { toVenuePolicy } from '../../../../src/adapters/venues/venue-policies.ts';
import { presetOf } from '../../../harness/venue-vectors.ts';
import { useConfiguration } from './use-configuration.ts';

const PLATFORMS = [{ platformId: 'alpha', format: 'any' }];

function account(platformId: string, accountId: string, algorithm = 'ed25519') {
  return { platformId, accountId, algorithm, key: { file: 'k' } };
}

describe('doctor, of permissions', () => {
  const { configure, find } = useConfiguration();
  const ANYBODY = { principals: ['anonymous'], operations: ['status'] };
  const HTTPS = { SIGNING_TLS_CERT_FILE: 'tls.crt', SIGNING_TLS_KEY_FILE: 'tls.key' };

  /** The only finding about these permissions. */
  async function check(permissions: readonly object[] | undefined, environment: { readonly [name: string]: string }) {
    configure({ platforms: PLATFORMS, accounts: [account('alpha', 'main')], permissions });
    const [finding, ...more] = await find('permissions', environment);
    expect(more).to.deep.equal([]);
    return finding ?? expect.fail();
  }

  it('warns about a list that refuses every call, as the service does on startup', async () => {
    const { state, message, remedy } = await check([], {});
    expect(state).to.equal('warning');
    expect(message).to.match(/^Every request is refused/);
    expect(remedy).to.include('anonymous');
  });

  it('warns about entries that never match without authentication, by path', async () => {
    const named = { principals: ['bot-1', '*'], accounts: ['alpha/*'], operations: ['sign'] };
    const both = { principals: ['bot-1', 'anonymous'], operations: ['status'] };
    const { state, message, remedy } = await check([named, ANYBODY, both, { ...named, accounts: ['alpha/main'] }], {});
    expect(state).to.equal('warning');
    expect(message).to.match(/^permissions\[0\], permissions\[3\]: never match/);
    expect(remedy).to.include('SIGNING_AUTH').and.include('SIGNING_TLS_CLIENT_CA_FILE');
    for (const environment of [{ SIGNING_AUTH: 'optional' }, { ...HTTPS, SIGNING_TLS_CLIENT_CA_FILE: 'ca.pem' }]) {
      expect((await check([named, ANYBODY], environment)).state).to.equal('ok');
    }
    expect((await check([named, ANYBODY], HTTPS)).state).to.equal('warning');
  });

  it('warns about unknown accounts and platforms, by path', async () => {
    const unknown = ['alpha/main', 'alpha/mian', 'alhpa/*', 'beta/main'];
    const entries = [
      ANYBODY,
      { principals: ['bot-*'], accounts: unknown, operations: ['sign'] },
      { principals: ['*'], accounts: ['alpha/*', '*/main'], operations: ['sign'] },
    ];
    const { state, message } = await check(entries, { SIGNING_AUTH: 'optional' });
    expect(state).to.equal('warning');
    expect(message).to.match(
      /^permissions\[1\]\.accounts\[1\], permissions\[1\]\.accounts\[2\], permissions\[1\]\.accounts\[3\]: no such account/,
    );
  });

  it('reports the size of a list, and what a missing one means', async () => {
    expect(await check([ANYBODY], {})).to.include({ state: 'ok', message: 'entries: 1' });
    expect((await check(undefined, {})).message).to.include('every caller may do everything');
  });
});

describe('doctor, of policies', () => {
  const { configure, find } = useConfiguration();
  const check = async (content: object) => {
    configure({ platforms: PLATFORMS, accounts: ['main', 'hot'].map((id) => account('alpha', id)), ...content });
    return find('policies');
  };

  async function checkOnly(content: object) {
    const [finding, ...more] = await check(content);
    expect(more).to.deep.equal([]);
    return finding ?? expect.fail();
  }

  function entry(name: string, accounts: readonly string[], more: object = {}) {
    return { name, accounts, effect: 'deny', when: 'signed.text == ""', ...more };
  }

  it('checks budgets like policies', async () => {
    const accounts = [account('alpha', 'main')];
    const budget = { name: 'daily', accounts: ['alpha/main'], sum: 'size(signed.text)', max: '10', windowSeconds: 60 };
    expect((await checkOnly({ accounts, budgets: [budget] })).message).to.equal('entries: 0, budgets: 1');
    const failed = await checkOnly({ accounts, budgets: [{ ...budget, sum: 'signed.path' }] });
    expect(failed.state).to.equal('fail');
    expect(failed.message).to.match(/^budgets\[0\]\.sum: \(daily, for platform alpha\) reads signed\.path/);
    const warned = await check({ accounts, budgets: [{ ...budget, accounts: ['alpha/mian'] }] });
    expect(warned[1]?.message).to.include('budgets[0].accounts[0]');
    expect(warned[2]?.message).to.include('daily: no effect');
  });

  it('warns about accounts without a policy, also where the venue has no ready-made ones', async () => {
    const { state, message } = await checkOnly({ policies: [entry('a', ['alpha/hot'])] });
    expect(state).to.equal('warning');
    expect(message).to.match(/^alpha\/main: no policy.* may sign anything/);
  });

  describe('where the venue has ready-made policies', () => {
    const KRAKEN = {
      ...{ format: 'any', encoding: 'base64', algorithms: ['hmac-sha512'] },
      ...{ payload: { rule: 'kraken' }, secretDecoding: 'base64' },
    };
    const platforms = ['kraken', 'desk'].map((platformId) => ({ platformId, ...KRAKEN }));
    const accounts = ['kraken', 'desk'].map((platformId) => account(platformId, 'main', 'hmac-sha512'));
    const current = toVenuePolicy(presetOf('kraken'), 'no-withdrawals', 'kraken', [])?.entry ?? {};
    const ofDesk = entry('desk', ['desk/*'], { when: 'false' });

    it('warns about accounts without a policy, with the command', async () => {
      const { state, message, remedy } = await checkOnly({ platforms, accounts, policies: [ofDesk] });
      expect(state).to.equal('warning');
      expect(message).to.match(/^kraken\/main: no policy.* withdrawals$/);
      expect(remedy).to.include('policy add --platform kraken --preset kraken --policy trade-only');
    });

    it('warns once about a platform without accounts, until a policy names it', async () => {
      const findUncovered = async (...accountsOfPolicy: string[]) => {
        const policies = accountsOfPolicy.map((pattern, index) => entry(`p${index}`, [pattern], { when: 'false' }));
        const found = await check({ platforms, accounts: [], policies });
        return found.filter(({ message }) => message.includes('no policy'));
      };
      const found = await findUncovered();
      expect(found.map(({ message }) => message.split(':')[0])).to.deep.equal(['kraken', 'desk']);
      expect(found[0]?.remedy).to.include('policy add --platform kraken --preset kraken --policy trade-only');
      expect(await findUncovered('kraken/*', 'd*/main')).to.deep.equal([]);
    });

    it('warns about a ready-made policy with another condition than this version has', async () => {
      expect((await checkOnly({ platforms, accounts, policies: [ofDesk, current] })).state).to.equal('ok');
      const old = { ...current, when: 'signed.path == "/0/private/Withdraw"' };
      const { state, message, remedy } = await checkOnly({ platforms, accounts, policies: [ofDesk, old] });
      expect(state).to.equal('warning');
      expect(message).to.match(/^kraken-no-withdrawals: other conditions than/);
      expect(remedy).to.include('policy add');
    });
  });

  it('fails if policies do not compile, with the place and the reason of each', async () => {
    const wrong = { when: 'signed.path == "/orders"' };
    const policies = [entry('a', ['alpha/*'], wrong), entry('b', ['alpha/*'], { when: 'signed' })];
    const { state, message } = await checkOnly({ policies });
    expect(state).to.equal('fail');
    expect(message).to.match(
      /^policies\[0\]\.when: \(a, for platform alpha\) reads signed\.path, .*; policies\[1\]\.when: \(b, /,
    );
  });

  it('warns about unknown accounts and platforms, by path', async () => {
    const policies = [entry('a', ['alpha/*', 'alpha/mian', 'beta/*', '*/x'])];
    const { state, message } = await checkOnly({ policies });
    expect(state).to.equal('warning');
    expect(message).to.match(/^policies\[0\]\.accounts\[1\], policies\[0\]\.accounts\[2\]: no such account/);
  });

  it('warns about policies that are about no account, by name', async () => {
    const policies = [entry('a', ['alpha/*']), entry('b', ['*/x']), entry('c', ['alpha/x*'])];
    const { state, message } = await checkOnly({ policies });
    expect(state).to.equal('warning');
    expect(message).to.match(/^b, c: no effect/);
  });

  it('warns about accounts with policies in audit mode alone', async () => {
    const policies = [entry('a', ['alpha/*'], { mode: 'audit' }), entry('b', ['alpha/hot'])];
    const { state, message } = await checkOnly({ policies });
    expect(state).to.equal('warning');
    expect(message).to.match(/^alpha\/main: only policies in audit mode/);
  });
});
