import { expect } from 'chai';
import { SETTING_NAMES } from '../../../../src/app/settings/setting-table.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';

const shown = (environment: { readonly [name: string]: string } = {}) => readSettings(environment, () => false).shown;

describe('The settings as shown in a log', () => {
  it('are those in force, in the order of the table, including defaults', () => {
    const { explicit, byDefault } = shown();
    const names = Object.keys(byDefault);
    expect(explicit).to.deep.equal({});
    expect(names).to.deep.equal(SETTING_NAMES.filter((name) => names.includes(name)));
    expect(byDefault).to.include({
      SIGNING_HOST: '127.0.0.1',
      SIGNING_PORT: 8080,
      SIGNING_MASTER_KEY_FILE: 'config/master.key',
      SIGNING_WATCH: true,
    });
    expect(byDefault['SIGNING_ALLOWED_NETWORKS']).to.be.a('string').that.includes('10.0.0.0/8');
    expect(byDefault).not.to.have.any.keys('SIGNING_REDIS_URL', 'SIGNING_TLS_CERT_FILE');
  });

  it('separate the environment from the defaults', () => {
    const { explicit, byDefault } = shown({
      SIGNING_PORT: '8443',
      SIGNING_WATCH: 'false',
      SIGNING_INSTANCE_ID: 'signer-1',
      SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16, 192.0.2.7',
      SIGNING_RELOAD_MAX_REMOVED: '0.5',
      SIGNING_LOG_LEVEL: '',
    });
    expect(explicit).to.deep.equal({
      SIGNING_PORT: 8443,
      SIGNING_WATCH: false,
      SIGNING_INSTANCE_ID: 'signer-1',
      SIGNING_ALLOWED_NETWORKS: '10.1.0.0/16,192.0.2.7',
      SIGNING_RELOAD_MAX_REMOVED: 0.5,
    });
    expect(byDefault).not.to.have.any.keys(Object.keys(explicit));
    expect(byDefault).to.include({ SIGNING_LOG_LEVEL: 'info' });
  });

  it('contain no part of a password', () => {
    const settings = shown({ SIGNING_REDIS_URL: 'redis://signer:canary-7c1f@10.0.0.3:6379/0' });
    expect(settings.explicit['SIGNING_REDIS_URL']).to.equal('redis://signer:***@10.0.0.3:6379/0');
    expect(JSON.stringify(settings)).not.to.include('canary');
  });
});
