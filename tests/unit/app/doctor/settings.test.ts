import { expect } from 'chai';
import { checkDebugging, checkSettings, readSettingsOrError } from '../../../../src/app/doctor/settings.ts';
import type { Environment } from '../../../../src/app/settings/settings.ts';

/** State and message by check. */
function statesOf(environment: Environment) {
  const findings = checkSettings(environment, readSettingsOrError(environment));
  return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
}

describe('checkSettings', () => {
  it('accepts valid settings, but warns outside production', () => {
    expect(statesOf({ NODE_ENV: 'production' })).to.deep.equal({ settings: 'ok', production: 'ok' });
    expect(statesOf({})).to.deep.equal({ settings: 'ok', production: 'warning' });
  });

  it('fails if mutual authentication files are set while it is off, as on startup', () => {
    const environment = { SIGNING_AUTH_TOKEN_FILE: 'token.txt' };
    const [settings] = checkSettings(environment, readSettingsOrError(environment));
    expect(settings?.state).to.equal('fail');
    expect(settings?.message).to.include('SIGNING_AUTH_TOKEN_FILE').and.include('SIGNING_AUTH is off');
  });

  it('warns about plaintext keys and a custom key store', () => {
    expect(statesOf({ SIGNING_ALLOW_PLAINTEXT_KEYS: 'true' })['plaintext-keys']).to.equal('warning');
    expect(statesOf({ SIGNING_KEY_STORE_MODULE: 'mock.js' })['key-store']).to.equal('warning');
  });
});

describe('checkDebugging', () => {
  const closed = { execArgv: [], environment: {}, inspectorUrl: undefined, reports: false };
  const open = { ...closed, execArgv: ['--inspect', '--prof'] };

  it('fails in production and warns elsewhere, with one line per issue', () => {
    const { state, message, remedy } = checkDebugging({ NODE_ENV: 'production' }, open);
    expect(state).to.equal('fail');
    expect(message.split('\n').map((line) => line.split(' is set')[0])).to.deep.equal([
      'the option --inspect',
      'the option --prof',
    ]);
    expect(remedy).to.be.a('string');
    expect(checkDebugging({}, open).state).to.equal('warning');
  });
});
