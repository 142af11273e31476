import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';

/** From dist/. */
const PROGRAM = '../scripts/bench/service-without-audit.mjs';

describe('The service without audit of the benchmark', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = new Workplace();
    await place.prepare('init');
  });
  afterEach(() => place.remove());

  it('signs without an audit file', async () => {
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    const service = place.spawn(PROGRAM, []);
    const { url } = JSON.parse(await service.waitForLine(/"message":"Listening\."/)).facts;
    const response = await fetch(`${url}/api/v1/sign`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platformId: 'alpha', accountId: 'main', data: { side: 'buy' } }),
    });
    expect(response.status).to.equal(200);
    expect(existsSync(place.path('audit.jsonl'))).to.equal(false);
  });

  it('refuses keys that are not in a folder of the benchmark', async () => {
    place.environment['SIGNING_CREDENTIALS_FILE'] = '/etc/signing-service/credentials.json';
    const { exitCode, stderr } = await place.spawn(PROGRAM, []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr).to.equal('This program is for the benchmark only: it signs without audit records.\n');
  });
});
