import { chmodSync, copyFileSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { expect } from 'chai';
import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import { TokenAdministration } from '../../../../src/adapters/auth/token-administration.ts';
import { AuditChain } from '../../../doubles/audit-chain.ts';
import { makeCertificate, TEST_CERTIFICATE } from '../../../harness/certificates.ts';
import { useConfiguration } from './use-configuration.ts';

type Environment = { readonly [name: string]: string };

const DAY = 24 * 60 * 60 * 1000;

describe('doctor, of callers', () => {
  const { find } = useConfiguration();

  async function findOnly(environment: Environment) {
    const [finding, ...others] = await find('callers', environment);
    expect(others).to.deep.equal([]);
    return finding ?? expect.fail();
  }

  it('accepts the private networks, and reports that no caller has to authenticate', async () => {
    const { state, message } = await findOnly({});
    expect(state).to.equal('ok');
    expect(message).to.include('unauthenticated');
  });

  it('reports how callers authenticate', async () => {
    const { message } = await findOnly({
      ...{ SIGNING_TLS_CERT_FILE: 'c', SIGNING_TLS_KEY_FILE: 'k', SIGNING_TLS_CLIENT_CA_FILE: 'ca' },
      ...{ SIGNING_AUTH: 'required', SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16' },
    });
    expect(message).to.equal('from 10.1.0.0/16, authenticated by a client certificate and an access token (required)');
  });

  it('warns that any address in a wide network of proxies may forward a client certificate', async () => {
    const { state, message } = await findOnly({
      SIGNING_TRUSTED_PROXIES: '10.0.0.0/8',
      SIGNING_TLS_CLIENT_CA_FILE: 'ca',
      SIGNING_TLS_CLIENT_CERT_HEADER: 'client-cert',
    });
    expect(state).to.equal('warning');
    expect(message).to.include('and the client certificate by which it is named');
  });

  it('warns about public networks of callers and proxies, and names them', async () => {
    for (const networks of ['0.0.0.0/0', '::/0', '2.2.2.2', '10.0.0.0/7', '2001:db8::7']) {
      for (const setting of ['SIGNING_ALLOWED_NETWORKS', 'SIGNING_TRUSTED_PROXIES']) {
        const { state, message } = await findOnly({ [setting]: `10.0.0.0/24,${networks}` });
        expect(state, setting).to.equal('warning');
        expect(message).to.include(`${setting} (${networks})`);
      }
    }
  });

  it('warns about wide networks of proxies: any caller there could choose its address', async () => {
    for (const networks of ['private', '192.168.0.0/23', 'fd00::/63']) {
      const { state, message } = await findOnly({ SIGNING_TRUSTED_PROXIES: networks });
      expect(state).to.equal('warning');
      expect(message).to.include('SIGNING_TRUSTED_PROXIES').and.include('can choose the address');
    }
    for (const networks of ['192.168.1.0/24', 'fd00::/64']) {
      expect((await findOnly({ SIGNING_TRUSTED_PROXIES: networks })).state, networks).to.equal('ok');
    }
  });
});

describe('doctor, of certificates and the clock', () => {
  const { path, write, find } = useConfiguration();
  // The certificate is valid from 2020-01-01 to 2120-01-01.
  const FROM = Date.parse('2020-01-01T00:00:00Z');
  const TO = Date.parse('2120-01-01T00:00:00Z');

  const findTls = async (now: number, environment: Environment = {}) =>
    (await find('tls', { ...HTTPS, ...environment }, now))[0];
  const HTTPS = { SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile, SIGNING_TLS_KEY_FILE: TEST_CERTIFICATE.keyFile };

  it('warns 30 days before expiration, not earlier', async () => {
    expect((await findTls(TO - 30 * DAY))?.state).to.equal('ok');
    const tls = await findTls(TO - 29.5 * DAY);
    expect(tls?.state).to.equal('warning');
    expect(tls?.message).to.include('29 days');
    expect(tls?.remedy).to.include(TEST_CERTIFICATE.certFile);
  });

  it('warns earlier if the log does', async () => {
    const earlier = { SIGNING_EXPIRY_WARNING_DAYS: '60' };
    expect((await findTls(TO - 60 * DAY, earlier))?.state).to.equal('ok');
    expect((await findTls(TO - 59.5 * DAY, earlier))?.state).to.equal('warning');
  });

  it('fails for a certificate that is not yet valid, and questions the clock', async () => {
    expect((await findTls(FROM - DAY))?.state).to.equal('fail');
    const [order] = await find('clock-order', HTTPS, FROM - DAY);
    expect(order?.state).to.equal('fail');
    expect(order?.message).to.include('was issued at 2020-01-01');
    expect((await find('clock-order', HTTPS, FROM + DAY))[0]?.state).to.equal('ok');
  });

  it('checks every certificate of a chain', async () => {
    const certificates = [TEST_CERTIFICATE.certFile, makeCertificate(path(), 'authority', 20).certFile];
    write('chain.pem', certificates.map((file) => readFileSync(file, 'utf8')).join(''));
    const chain = { SIGNING_TLS_CERT_FILE: path('chain.pem') };
    expect((await findTls(Date.now() + 10 * DAY, chain))?.state).to.equal('warning');
    expect((await findTls(Date.now() + 21 * DAY, chain))?.state).to.equal('fail');
  });

  it('passes without HTTPS on loopback, and warns elsewhere', async () => {
    const stateAt = async (host: string) => (await find('tls', { SIGNING_HOST: host }))[0]?.state;
    for (const host of ['127.8.8.8', '0:0:0:0:0:0:0:1', 'localhost']) expect(await stateAt(host), host).to.equal('ok');
    for (const host of ['0.0.0.0', '::', 'signing.internal', '127.evil.example', '127.0.0.1.evil.example']) {
      expect(await stateAt(host), host).to.equal('warning');
    }
  });

  it('checks the authorities of forwarded certificates without HTTPS', async () => {
    const findClients = async () =>
      (
        await find('client-certificates', {
          SIGNING_TRUSTED_PROXIES: '127.0.0.1',
          SIGNING_TLS_CLIENT_CERT_HEADER: 'client-cert',
          SIGNING_TLS_CLIENT_CA_FILE: path('ca.pem'),
        })
      )[0];
    const missing = await findClients();
    expect(missing?.state).to.equal('fail');
    expect(missing?.message).to.include('SIGNING_TLS_CLIENT_CA_FILE');
    copyFileSync(makeCertificate(path(), 'authority', 30).certFile, path('ca.pem'));
    expect((await findClients())?.message).to.equal('authorities: 1; accepted: all issued by them');
  });

  it('fails when the newest segment was modified in the future', async () => {
    const findOrder = async (now: number) => (await find('clock-order', {}, now)).map(({ state }) => state);
    const segment = 'audit/audit.000000000001.jsonl';
    write(segment, new AuditChain({ time: new Date(FROM - 2 * DAY).toISOString() }).text());
    utimesSync(path(segment), FROM / 1000, FROM / 1000);
    write('audit/audit.000000000050.jsonl', 'of another program\n');
    expect(await findOrder(FROM + DAY)).to.deep.equal(['ok']);
    expect(await findOrder(FROM - DAY)).to.deep.equal(['fail']);
    rmSync(path(segment));
    expect(await findOrder(FROM - DAY)).to.deep.equal([]);
  });
});

describe('doctor, of mutual authentication', () => {
  const { path, find } = useConfiguration();
  const now = Date.parse('2026-11-20T08:49:00Z');
  const findAuth = (check: string) =>
    find(
      check,
      {
        ...{ SIGNING_AUTH: 'required', SIGNING_AUTH_KEY_FILE: path('auth.key') },
        ...{ SIGNING_AUTH_AUTHORITIES_FILE: path('authorities.txt'), SIGNING_AUTH_TOKEN_FILE: path('token.txt') },
      },
      now,
    );

  function setUp(forMs = 90 * DAY): void {
    const tokens = new TokenAdministration({
      ...{ authoritiesFile: path('authorities.txt'), keyFile: path('auth.key'), tokenFile: path('token.txt') },
      ...{ verifier: new SodiumSignatureVerifier(), clock: { now: () => now } },
    });
    const authorityKeyFile = path('authority.key');
    tokens.createAuthority(authorityKeyFile, true);
    const subject = { kind: 'service' } as const;
    tokens.issue({ username: 'signing-service', validity: { forMs }, authorityKeyFile, subject, outFile: null });
  }

  it('accepts valid files, and reports identity and expiration of the service', async () => {
    setUp();
    const [finding] = await findAuth('authentication');
    expect(finding?.state).to.equal('ok');
    expect(finding?.message).to.match(
      /^required; public key of the service: \w+; token valid until 2027-02-18T08:49:00Z; authorities: 1; nonces: separate/,
    );
  });

  it('warns when the token of the service expires soon', async () => {
    setUp(29 * DAY);
    expect((await findAuth('authentication'))[0]).to.include({
      state: 'warning',
      remedy:
        'Issue another token, with the key of its authority: `signing-service token issue --service --expires-in 365d --authority-key-file authority.key`.',
    });
  });

  it('fails for a missing file, and names its setting', async () => {
    setUp();
    rmSync(path('token.txt'));
    const [finding] = await findAuth('authentication');
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.include('SIGNING_AUTH_TOKEN_FILE');
  });

  it('fails for a key that others can read and a list that others can write, but not only read', async () => {
    setUp();
    chmodSync(path('auth.key'), 0o640);
    expect((await findAuth('auth-key'))[0]?.state).to.equal('fail');
    for (const [mode, state] of [
      [0o664, 'warning'],
      [0o644, 'ok'],
    ] as const) {
      chmodSync(path('authorities.txt'), mode);
      expect((await findAuth('auth-file'))[0]?.state).to.equal(state);
    }
  });
});
