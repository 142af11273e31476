import { expect } from 'chai';
import { checkPermissions } from '../../../../src/composition/doctor/permissions.ts';
import { type Environment, readSettings } from '../../../../src/composition/settings.ts';
import type { PermissionEntry } from '../../../../src/domain/model/permission-entry.ts';

const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['status'] };

const HTTPS = { SIGNING_TLS_CERT_FILE: 'tls.crt', SIGNING_TLS_KEY_FILE: 'tls.key' };

/** Callers can prove who they are. */
const ASKED = { SIGNING_AUTH: 'optional' };

function check(permissions?: readonly PermissionEntry[], environment: Environment = ASKED) {
  const account = {
    platformId: 'alpha',
    accountId: 'main',
    algorithm: 'ed25519',
    status: 'active',
    environment: 'production',
    key: { file: 'main.key' },
  } as const;
  const entries = permissions?.map(({ accounts, ...entry }) => ({
    principals: [...entry.principals],
    operations: [...entry.operations],
    ...(accounts === undefined ? {} : { accounts: [...accounts] }),
  }));
  return checkPermissions(readSettings(environment), {
    version: 1,
    platforms: [{ platformId: 'alpha', format: 'any' }],
    accounts: [account],
    ...(entries === undefined ? {} : { permissions: entries }),
  });
}

describe('checkPermissions', () => {
  it('says that every caller may do everything where there is no list', () => {
    const [finding, ...more] = check();
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'permissions', state: 'ok' });
    expect(finding?.message).to.include('every caller may do everything');
  });

  it('is content with a list under which somebody can do something', () => {
    const entries: readonly PermissionEntry[] = [
      ANYBODY,
      { principals: ['bot-*'], accounts: ['alpha/main', 'alpha/*', '*/*', '*/new-*'], operations: ['sign'] },
    ];
    expect(check(entries)).to.deep.equal([{ check: 'permissions', state: 'ok', message: 'entries: 2', remedy: null }]);
  });

  it('warns of a list under which every call is refused, as the service does when it starts', () => {
    const [finding, ...more] = check([], {});
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'permissions', state: 'warning' });
    expect(finding?.message).to.match(/^Every call is refused/);
    expect(finding?.remedy).to.include('anonymous');
  });

  it('warns of entries that never match where callers can not prove who they are, by their place', () => {
    const named: PermissionEntry = { principals: ['bot-1', '*'], accounts: ['alpha/*'], operations: ['sign'] };
    const both: PermissionEntry = { principals: ['bot-1', 'anonymous'], operations: ['status'] };
    const [finding, ...more] = check([named, ANYBODY, both, named], {});
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'permissions', state: 'warning' });
    expect(finding?.message).to.match(/^permissions\[0\], permissions\[3\]: never match/);
    expect(finding?.remedy).to.include('SIGNING_AUTH').and.include('SIGNING_TLS_CLIENT_CA_FILE');
    for (const asked of [ASKED, { ...HTTPS, SIGNING_TLS_CLIENT_CA_FILE: 'ca.pem' }]) {
      expect(check([named, ANYBODY], asked)[0]?.state).to.equal('ok');
    }
    expect(check([named, ANYBODY], HTTPS)[0]?.state).to.equal('warning');
  });

  it('warns of accounts and platforms that are not there, by their place', () => {
    const entries: readonly PermissionEntry[] = [
      ANYBODY,
      { principals: ['bot-*'], accounts: ['alpha/main', 'alpha/mian', 'alhpa/*', 'beta/main'], operations: ['sign'] },
    ];
    const [finding, ...more] = check(entries);
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ state: 'warning' });
    expect(finding?.message).to.match(
      /^permissions\[1\]\.accounts\[1\], permissions\[1\]\.accounts\[2\], permissions\[1\]\.accounts\[3\]: no such/,
    );
    const many = Array.from({ length: 30 }, (_, index) => `alpha/none-${index}`);
    const [long] = check([ANYBODY, { principals: ['a'], accounts: many, operations: ['sign'] }]);
    expect(long?.message).to.include('permissions[1].accounts[19] and 10 more: no such');
  });
});
