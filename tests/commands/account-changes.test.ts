import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Workplace } from '../e2e/service-process.ts';

describe('Changes of an account', () => {
  const place = new Workplace();
  const ids = ['--platform', 'alpha', '--account', 'main'];

  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'A');
  });
  beforeEach(() => place.prepare('account', 'add', ...ids));
  after(() => place.remove());

  const text = () => readFileSync(place.path('credentials.json'), 'utf8');

  it('are told by disable and enable, in words and in JSON', async () => {
    const { stdout } = await place.commandHere('account', 'disable', ...ids);
    expect(stdout).to.match(/^Account main of alpha is disabled\.\nA running service takes this up/);
    const enabled = await place.commandHere('account', 'enable', ...ids, '--json');
    expect(JSON.parse(enabled.stdout)).to.deep.equal({
      account: { platformId: 'alpha', accountId: 'main', status: 'active' },
    });
    await place.prepare('account', 'disable', ...ids);
    await place.prepare('account', 'remove', ...ids);
  });

  it('remove it once it is disabled, and its key with it', async () => {
    const refused = await place.commandHere('account', 'remove', ...ids);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('is active; nothing was changed').and.include('account disable');
    const sealed = /"sealed": "([^"]+)"/.exec(text())?.[1] ?? expect.fail();
    await place.prepare('account', 'disable', ...ids);
    const { stdout, exitCode } = await place.commandHere('account', 'remove', ...ids);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^Account main of alpha is removed, and its key with it\.\n/);
    expect(text()).to.not.include(sealed);
    const again = await place.commandHere('account', 'remove', ...ids, '--json');
    expect(again.exitCode).to.equal(2);
    expect(JSON.parse(again.stderr).error.message).to.include('no account "main" on platform "alpha"');
  });
});
