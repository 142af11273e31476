import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';

describe('signing-service master-key status', () => {
  const place = new Workplace();
  after(() => place.remove());

  it('exits with code 0, and with 2 if accounts are sealed under a key that is not in the file', async () => {
    const status = (...options: readonly string[]) => place.commandHere('master-key', 'status', ...options);
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    const { stdout, exitCode } = await status('--json');
    expect(exitCode).to.equal(0);
    const [{ id }] = JSON.parse(stdout).keys;

    writeFileSync(place.path('master.key'), randomBytes(32).toString('hex'));
    const json = await status('--json');
    expect(json.exitCode).to.equal(2);
    expect(JSON.parse(json.stdout).missing).to.deep.equal([{ id, accounts: 1 }]);
    const text = await status();
    expect(text.exitCode).to.equal(2);
    expect(text.stdout)
      .to.match(new RegExp(`^missing +${id} +1 *$`, 'm'))
      .and.include('cannot be loaded; restore that key');
  });
});
