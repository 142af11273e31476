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

  for (const networks of ['0.0.0.0/0', '::/0', '10.0.0.0/8,8.0.0.0/6', '2000::/3']) {
    it(`warns of callers, and of proxies, from ${networks}`, () => {
      for (const setting of ['SIGNING_ALLOWED_NETWORKS', 'SIGNING_TRUSTED_PROXIES']) {
        const [finding] = check({ [setting]: networks });
        expect(finding?.state, setting).to.equal('warning');
        expect(finding?.message).to.include(setting);
      }
    });
  }
});
