import { expect } from 'chai';
import { logExposure } from '../../../../src/app/settings/configuration-warnings.ts';
import { permissionWarnings, reloadWarnings } from '../../../../src/app/settings/permission-warnings.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import { type PermissionEntry, Permissions } from '../../../../src/domain/model/permissions.ts';
import { type BudgetEntry, NO_POLICIES } from '../../../../src/domain/model/policy.ts';
import { EMPTY_REGISTRY, Registry } from '../../../../src/domain/model/registry.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

describe('logExposure', () => {
  function logged(environment: { readonly [name: string]: string }): RecordingServiceLog['events'] {
    const log = new RecordingServiceLog();
    logExposure(readSettings(environment), log);
    return log.events;
  }

  it('reports HTTP that others can reach in production, but no HTTPS', () => {
    const open = { NODE_ENV: 'production', SIGNING_HOST: '0.0.0.0' };
    expect(logged(open).map(({ level, facts }) => [level, facts])).to.deep.equal([['error', { hosts: ['0.0.0.0'] }]]);
    expect(logged({ ...open, SIGNING_TLS_CERT_FILE: 'tls.crt', SIGNING_TLS_KEY_FILE: 'tls.key' })).to.deep.equal([]);
  });

  it('warns once about each overly broad setting, and names the remedy', () => {
    const events = logged({ SIGNING_ALLOWED_NETWORKS: '2.2.2.2', SIGNING_TRUSTED_PROXIES: 'private' });
    expect(events.map(({ level }) => level)).to.deep.equal(['warn', 'warn']);
    expect(events[0]?.message).to.include('SIGNING_ALLOWED_NETWORKS (2.2.2.2)').and.include('List the networks');
    expect(events[1]?.message).to.include('SIGNING_TRUSTED_PROXIES').and.include('only the addresses of the proxies');
  });
});

const BOTS: PermissionEntry = { principals: ['*'], accounts: ['*/*'], operations: ['*'] };
const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['status'] };

describe('permissionWarnings', () => {
  for (const [what, entries, canIdentify, isWarned] of [
    ['no list', null, false, false],
    ['a list of principals that nobody can have', [BOTS], false, true],
    ['a list that names anonymous, too', [BOTS, ANYBODY], false, false],
    ['a list of principals where callers can prove who they are', [BOTS], true, false],
  ] as const) {
    it(`${isWarned ? 'warn that every call is refused' : 'report nothing'} for ${what}`, () => {
      const warnings = permissionWarnings(new Permissions(entries), canIdentify);
      expect(warnings.map(({ message }) => message.startsWith('Every request is refused'))).to.deep.equal(
        isWarned ? [true] : [],
      );
      for (const { remedy } of warnings) expect(remedy).to.include('anonymous');
    });
  }
});

describe('reloadWarnings', () => {
  const ACCOUNTS = ['main', 'hot'].map((accountId) => ({ platformId: 'alpha', accountId }) as Account);

  const SPENT: BudgetEntry = { name: 'spent', accounts: ['beta/*'], sum: '1', max: 1, windowSeconds: 1 };

  const warnings = (after: Registry, before = EMPTY_REGISTRY) =>
    reloadWarnings(after, before, readSettings({ SIGNING_AUTH: 'optional' }), new FixedClock());

  const permitting = (entries: readonly PermissionEntry[] | null) =>
    new Registry([], [], undefined, new Permissions(entries));

  for (const [what, before, after, expected] of [
    ['warn about a list that is gone', [BOTS], null, 1],
    ['report nothing about a list that became empty', [BOTS], [], 0],
    ['report nothing about a list that came', null, [BOTS], 0],
    ['report nothing about no list, as before', null, null, 0],
  ] as const) {
    it(what, async () => {
      const reported = await warnings(permitting(after), permitting(before));
      expect(reported).to.have.lengthOf(expected);
      for (const warning of reported) expect(warning).to.include('every caller may do everything. If this was not');
    });
  }

  /** A configuration with a policy for each list of accounts, by name. */
  function registryOf(
    policies: { readonly [name: string]: readonly string[] },
    budgets: readonly BudgetEntry[] = [],
  ): Registry {
    const entries = Object.entries(policies).map(([name, accounts]) => {
      return { name, accounts, effect: 'deny', when: 'true' } as const;
    });
    return new Registry([], ACCOUNTS, undefined, undefined, { ...NO_POLICIES, entries, budgets });
  }

  it('name the policies that are about no account', async () => {
    const policies = {
      right: ['alpha/main'],
      any: ['*/*'],
      wrong: ['alpha/mian', 'beta/*'],
      hot: ['a*/h*'],
      no: ['b/b'],
    };
    const [warning, ...more] = await warnings(registryOf(policies, [SPENT]));
    expect(more).to.deep.equal([]);
    expect(warning).to.match(/^Policies or budgets without effect, .*: wrong, no, spent\. Check the spelling/);
  });

  it('name a policy once, not at each reload', async () => {
    const before = registryOf({ wrong: ['b/b'], later: ['alpha/main'] });
    expect(await warnings(before, before)).to.deep.equal([]);
    const [warning, ...more] = await warnings(registryOf({ wrong: ['b/b'], later: ['alpha/mian'] }), before);
    expect(more).to.deep.equal([]);
    expect(warning).to.include(': later. ');
  });
});
