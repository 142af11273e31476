import { expect } from 'chai';
import { checkCallers } from '../../../../src/composition/doctor/callers.ts';
import { readSettings } from '../../../../src/composition/settings.ts';

describe('checkCallers', () => {
  const check = (environment: { readonly [name: string]: string }) => checkCallers(readSettings(environment));

  it('is content with the private networks, and says that nobody is asked who he is', () => {
    const [finding, ...others] = check({});
    expect(others).to.deep.equal([]);
    expect(finding?.state).to.equal('ok');
    expect(finding?.message).to.include('no proof');
  });

  it('says what callers are asked for', () => {
    const https = { SIGNING_TLS_CERT_FILE: 'c', SIGNING_TLS_KEY_FILE: 'k', SIGNING_TLS_CLIENT_CA_FILE: 'ca' };
    const [finding] = check({ ...https, SIGNING_AUTH: 'required', SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16' });
    expect(finding?.message).to.equal(
      'from 10.1.0.0/16, asked for a client certificate and an access token (required)',
    );
  });

  it('names the proxies whose word is taken', () => {
    const [finding] = check({ SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16', SIGNING_TRUSTED_PROXIES: '10.1.2.3,fd00::/64' });
    expect(finding?.state).to.equal('ok');
    expect(finding?.message).to.include('from 10.1.0.0/16, or through the proxies 10.1.2.3, fd00::/64, ');
  });

  const publicNetworks = [
    '0.0.0.0/0',
    '::/0',
    '8.0.0.0/6',
    '2000::/3',
    '1.0.0.0/8',
    '2.2.2.2',
    '10.0.0.0/7',
    '2001:db8::7',
  ];
  for (const networks of publicNetworks) {
    it(`warns of callers, and of proxies, from ${networks}, and names it`, () => {
      for (const setting of ['SIGNING_ALLOWED_NETWORKS', 'SIGNING_TRUSTED_PROXIES']) {
        const [finding, ...others] = check({ [setting]: `10.0.0.0/24,${networks}` });
        expect(others).to.deep.equal([]);
        expect(finding?.state, setting).to.equal('warning');
        expect(finding?.message).to.include(`${setting} (${networks})`);
      }
    });
  }

  it('is content with callers from any part of the private networks', () => {
    for (const networks of [
      'private',
      '10.0.0.0/8',
      '127.0.0.1',
      '172.31.0.0/16',
      '192.168.1.0/24',
      'fd12::/16',
      'fe80::1',
    ]) {
      expect(check({ SIGNING_ALLOWED_NETWORKS: networks })[0]?.state, networks).to.equal('ok');
    }
  });

  for (const networks of ['private', '10.0.0.0/8', '192.168.0.0/23', 'fd00::/63']) {
    it(`warns of ${networks} as proxies: any caller there could choose its address`, () => {
      const [finding, ...others] = check({ SIGNING_TRUSTED_PROXIES: networks });
      expect(others).to.deep.equal([]);
      expect(finding?.state).to.equal('warning');
      expect(finding?.message).to.include('SIGNING_TRUSTED_PROXIES').and.include('chooses the address');
    });
  }

  it('is content with few proxies beside each other', () => {
    for (const networks of ['10.1.2.3', '192.168.1.0/24', 'fd00::/64', '127.0.0.1, ::1']) {
      expect(check({ SIGNING_TRUSTED_PROXIES: networks })[0]?.state, networks).to.equal('ok');
    }
  });
});
