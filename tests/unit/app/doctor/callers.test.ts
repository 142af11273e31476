import { expect } from 'chai';
import { checkCallers, checkPermissions } from '../../../../src/app/doctor/callers.ts';
import { type Environment, readSettings } from '../../../../src/app/settings/settings.ts';
import type { PermissionEntry } from '../../../../src/domain/model/permissions.ts';
import { parseCredentials } from '../../../doubles/credential-builder.ts';

describe('checkCallers', () => {
  const check = (environment: { readonly [name: string]: string }) => checkCallers(readSettings(environment));

  it('accepts the private networks, and reports that no caller has to authenticate', () => {
    const [finding, ...others] = check({});
    expect(others).to.deep.equal([]);
    expect(finding?.state).to.equal('ok');
    expect(finding?.message).to.include('unauthenticated');
  });

  it('reports how callers authenticate', () => {
    const https = { SIGNING_TLS_CERT_FILE: 'c', SIGNING_TLS_KEY_FILE: 'k', SIGNING_TLS_CLIENT_CA_FILE: 'ca' };
    const [finding] = check({ ...https, SIGNING_AUTH: 'required', SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16' });
    expect(finding?.message).to.equal(
      'from 10.1.0.0/16, authenticated by a client certificate and an access token (required)',
    );
  });

  it('warns that any address in a wide network of proxies may forward a client certificate', () => {
    const [finding] = check({
      SIGNING_TRUSTED_PROXIES: '10.0.0.0/8',
      SIGNING_TLS_CLIENT_CA_FILE: 'ca',
      SIGNING_TLS_CLIENT_CERT_HEADER: 'client-cert',
    });
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.include('and the client certificate by which it is named');
  });

  it('warns about public networks of callers and proxies, and names them', () => {
    for (const networks of ['0.0.0.0/0', '::/0', '2.2.2.2', '10.0.0.0/7', '2001:db8::7']) {
      for (const setting of ['SIGNING_ALLOWED_NETWORKS', 'SIGNING_TRUSTED_PROXIES']) {
        const [finding, ...others] = check({ [setting]: `10.0.0.0/24,${networks}` });
        expect(others).to.deep.equal([]);
        expect(finding?.state, setting).to.equal('warning');
        expect(finding?.message).to.include(`${setting} (${networks})`);
      }
    }
  });

  it('warns about wide networks of proxies: any caller there could choose its address', () => {
    for (const networks of ['private', '192.168.0.0/23', 'fd00::/63']) {
      const [finding, ...others] = check({ SIGNING_TRUSTED_PROXIES: networks });
      expect(others).to.deep.equal([]);
      expect(finding?.state).to.equal('warning');
      expect(finding?.message).to.include('SIGNING_TRUSTED_PROXIES').and.include('can choose the address');
    }
    for (const networks of ['192.168.1.0/24', 'fd00::/64']) {
      expect(check({ SIGNING_TRUSTED_PROXIES: networks })[0]?.state, networks).to.equal('ok');
    }
  });
});

const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['status'] };

const HTTPS = { SIGNING_TLS_CERT_FILE: 'tls.crt', SIGNING_TLS_KEY_FILE: 'tls.key' };

/** Callers can authenticate. */
const AUTH_OPTIONAL = { SIGNING_AUTH: 'optional' };

function check(permissions?: readonly PermissionEntry[], environment: Environment = AUTH_OPTIONAL) {
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
  const content = parseCredentials({
    version: 1,
    platforms: [{ platformId: 'alpha', format: 'any' }],
    accounts: [account],
    ...(entries === undefined ? {} : { permissions: entries }),
  });
  return checkPermissions(readSettings(environment), content);
}

describe('checkPermissions', () => {
  it('warns about a list that refuses every call, as the service does on startup', () => {
    const [finding, ...more] = check([], {});
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'permissions', state: 'warning' });
    expect(finding?.message).to.match(/^Every request is refused/);
    expect(finding?.remedy).to.include('anonymous');
  });

  it('warns about entries that never match without authentication, by path', () => {
    const named: PermissionEntry = { principals: ['bot-1', '*'], accounts: ['alpha/*'], operations: ['sign'] };
    const both: PermissionEntry = { principals: ['bot-1', 'anonymous'], operations: ['status'] };
    const [finding, ...more] = check([named, ANYBODY, both, named], {});
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ check: 'permissions', state: 'warning' });
    expect(finding?.message).to.match(/^permissions\[0\], permissions\[3\]: never match/);
    expect(finding?.remedy).to.include('SIGNING_AUTH').and.include('SIGNING_TLS_CLIENT_CA_FILE');
    for (const requestedOptions of [AUTH_OPTIONAL, { ...HTTPS, SIGNING_TLS_CLIENT_CA_FILE: 'ca.pem' }]) {
      expect(check([named, ANYBODY], requestedOptions)[0]?.state).to.equal('ok');
    }
    expect(check([named, ANYBODY], HTTPS)[0]?.state).to.equal('warning');
  });

  it('warns about unknown accounts and platforms, by path', () => {
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
