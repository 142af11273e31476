import { expect } from 'chai';
import { runDoctor } from '../../../../src/app/doctor/run-doctor.ts';
import { checkDebugging } from '../../../../src/app/doctor/settings.ts';
import type { Environment } from '../../../../src/app/settings/settings.ts';

/** States by check. */
async function statesOf(environment: Environment) {
  return Object.fromEntries((await runDoctor(environment)).map(({ check, state }) => [check, state]));
}

describe('doctor, of settings and process', () => {
  it('accepts valid settings, but warns outside production', async () => {
    expect(await statesOf({ NODE_ENV: 'production' })).to.include({ settings: 'ok', production: 'ok' });
    expect(await statesOf({})).to.include({ settings: 'ok', production: 'warning' });
  });

  it('warns about plaintext keys and a custom key store', async () => {
    expect((await statesOf({ SIGNING_ALLOW_PLAINTEXT_KEYS: 'true' }))['plaintext-keys']).to.equal('warning');
    expect((await statesOf({ SIGNING_KEY_STORE_MODULE: 'mock.js' }))['key-store']).to.equal('warning');
  });

  it('names the origin to which traces are sent, without a password', async () => {
    const findings = await runDoctor({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:Xy7-pass@collector:4318/x' });
    expect(findings.find(({ check }) => check === 'traces')?.message).to.equal('sent to http://collector:4318');
  });

  it('fails for debuggers in production and warns elsewhere, with one line per issue', () => {
    const open = { execArgv: ['--inspect', '--prof'], environment: {}, inspectorUrl: undefined, reports: false };
    const found = checkDebugging({ NODE_ENV: 'production' }, open);
    const { state, message } = typeof found === 'string' ? expect.fail(found) : found;
    expect(state).to.equal('fail');
    expect(message.split('\n').map((line) => line.split(' is set')[0])).to.deep.equal([
      'the option --inspect',
      'the option --prof',
    ]);
    expect(checkDebugging({}, open)).to.include({ state: 'warning' });
  });
});
