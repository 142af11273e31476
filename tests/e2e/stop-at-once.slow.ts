import { cpSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { until } from '../redis/until.ts';

/** For busy machines; the time that it took is printed. */
const LIMIT_MS = 5000;

describe('Two services on one credentials file', () => {
  const [one, two] = [new Workplace({ SIGNING_WATCH: 'true' }), new Workplace({ SIGNING_WATCH: 'true' })];
  let services: readonly ServiceProcess[];

  before(async () => {
    await one.prepare('init');
    writeFileSync(one.path('hot.key'), 'ab'.repeat(32));
    for (const platform of ['alpha', 'beta']) {
      const named = ['--platform', platform];
      await one.prepare('platform', 'add', ...named, '--format', 'any', '--algorithm', 'ed25519');
      await one.prepare('account', 'add', ...named, '--account', 'hot', '--key-file', one.path('hot.key'));
      await one.prepare('account', 'add', ...named, '--account', 'other');
    }
    cpSync(one.folder, two.folder, { recursive: true });
    two.environment['SIGNING_CREDENTIALS_FILE'] = one.path('credentials.json');
    services = await Promise.all([one.start(), two.start()]);
  });
  after(() => Promise.all([one.remove(), two.remove()]));

  /** What a service responds for an account: `200`, or a status and a code or its reason. */
  async function answer(service: ServiceProcess, account: string): Promise<string> {
    const [platformId, accountId] = account.split('/');
    const { status, body } = await service.post('/sign', { platformId, accountId, data: { a: 1 } });
    return status === 200 ? '200' : `${status} ${body.error.details.reason ?? body.error.code}`;
  }

  /** Runs a command, waits until both services respond so, and prints how long that took. */
  async function inForce(command: string, expected: { readonly [account: string]: string }): Promise<void> {
    await one.prepare(...command.split(' '));
    const start = performance.now();
    await Promise.all(
      services.map((service) =>
        until(async () => {
          for (const [account, wanted] of Object.entries(expected)) {
            expect(await answer(service, account), account).to.equal(wanted);
          }
        }, LIMIT_MS),
      ),
    );
    process.stdout.write(`      in force in both after ${Math.round(performance.now() - start)} ms: ${command}\n`);
  }

  it('refuse all accounts of a platform after platform disable, and sign again after platform enable', async () => {
    const others = { 'beta/hot': '200', 'beta/other': '200' };
    const [stopped, signing] = ['423 PLATFORM_DISABLED', '200'];
    await inForce('platform disable --platform alpha', { 'alpha/hot': stopped, 'alpha/other': stopped, ...others });
    await inForce('platform enable --platform alpha', { 'alpha/hot': signing, 'alpha/other': signing, ...others });
  });

  it('refuse all accounts with a key after account disable --same-key, and no other', async () => {
    await inForce('account disable --platform alpha --account hot --same-key', {
      'alpha/hot': '423 ACCOUNT_INACTIVE',
      'beta/hot': '423 ACCOUNT_INACTIVE',
      'alpha/other': '200',
      'beta/other': '200',
    });
  });
});
