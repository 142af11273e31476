import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { countIntactAccounts, writeAccounts } from '../e2e/many-accounts.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { whileServing } from '../harness/start-here.ts';

const ACCOUNTS = 300;

interface Report {
  readonly file: string;
  readonly keys: readonly { readonly id: string; readonly accounts: number }[];
}

describe('Rotating the master key', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = new Workplace();
    await place.prepare('init');
    writeAccounts(place, ACCOUNTS);
  });
  afterEach(() => place.remove());

  const status = async (): Promise<Report> => JSON.parse(await place.prepare('master-key', 'status', '--json'));
  const ids = async () => (await status()).keys.map(({ id }) => id);

  async function signs({ url }: { readonly url: string }, accountId: string): Promise<string> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ platformId: 'alpha', accountId, data: { a: 1 } });
    const response = await fetch(`${url}/api/v1/sign`, { method: 'POST', headers, body });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return JSON.parse(text).data.publicKey;
  }

  /** Master key ids that the reload reports. */
  async function reloads(service: ServiceProcess): Promise<readonly string[]> {
    const { status: code, body } = await service.post('/config/reload');
    expect(code, JSON.stringify(body)).to.equal(200);
    expect(body.data.accountCount).to.equal(ACCOUNTS);
    expect(body.data['changes']).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    return body.data['masterKeyIds'] as unknown as readonly string[];
  }

  it('works with a running service, reloads at every stage, and a later restart', async () => {
    const service = await place.start();
    const publicKey = await signs(service, 'account-0');
    const [oldId] = await ids();
    const old = readFileSync(place.path('credentials.json'));

    const printed = await place.prepare('master-key', 'rotate');
    expect(printed).to.include(`accounts resealed: ${ACCOUNTS}`).and.include('master-key retire');
    const order = ['master.key, then', 'credentials.json.'].map((name) => printed.indexOf(`   ${place.path(name)}\n`));
    expect(order).to.not.include(-1);
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
    expect(printed).to.match(/every other credentials file under the same master key is rotated/);
    const [newId] = await ids();
    expect(await ids()).to.deep.equal([newId, oldId]);
    expect(await reloads(service)).to.deep.equal([newId]);
    expect(await signs(service, 'account-0')).to.equal(publicKey);

    // State after a kill before the last step.
    const done = readFileSync(place.path('credentials.json'));
    writeFileSync(place.path('credentials.json'), old);
    expect(await reloads(service)).to.deep.equal([oldId]);
    expect(await signs(service, 'account-1')).to.be.a('string');
    place.environment['SIGNING_AUDIT_FILE'] = place.path('second.jsonl');
    expect(await whileServing(place, (halfway) => signs(halfway, 'account-0'))).to.equal(publicKey);
    expect(await place.prepare('master-key', 'status')).to.include('accounts are sealed under other master keys');
    writeFileSync(place.path('credentials.json'), done);

    expect(await place.prepare('master-key', 'status')).to.include('run signing-service master-key retire --yes');
    expect(await place.prepare('master-key', 'retire', '--yes')).to.include(oldId);
    await reloads(service);
    expect(await signs(service, `account-${ACCOUNTS - 1}`)).to.be.a('string');
    expect((await service.stop()).exitCode).to.equal(0);

    expect(await whileServing(place, (next) => signs(next, 'account-0'))).to.equal(publicKey);
    const after = await status();
    expect(after.keys.map(({ id, accounts }) => [id, accounts])).to.deep.equal([[newId, ACCOUNTS]]);
  }).timeout(60_000);

  it('fails on a full disk without changing anything, and works once there is space', async () => {
    const contents = () => ['credentials.json', 'master.key'].map((name) => readFileSync(place.path(name), 'hex'));
    const before = contents();
    place.launcher = ['bash', '-c', 'ulimit -f 16; exec "$@"', 'bash'];
    const { exitCode, stderr } = await place.command('master-key', 'rotate');
    place.launcher = [];
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('credentials.json was not changed: it could not be written (EFBIG)');
    expect(contents()).to.deep.equal(before);
    expect(readdirSync(place.folder).filter((name) => name.includes('tmp'))).to.deep.equal([]);
    await place.prepare('master-key', 'rotate');
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
  }).timeout(60_000);

  it('removes nothing without --yes, and names the keys that it would remove, and what needs them', async () => {
    const none = await place.commandHere('master-key', 'retire');
    expect([none.exitCode, none.stdout]).to.deep.equal([2, '']);
    expect(none.stderr).to.include('has one master key; there is none to remove');
    for (let time = 0; time < 2; time += 1) await place.prepare('master-key', 'rotate');
    const [first = '', ...earlier] = await ids();
    for (const options of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await place.commandHere('master-key', 'retire', ...options);
      expect([exitCode, stdout]).to.deep.equal([2, '']);
      const text = stderr.replaceAll(/\s+/g, ' ');
      for (const part of [...earlier, place.path('master.key'), '--yes']) expect(text).to.include(part);
      expect(text).to.include('Other credentials files, replicas that have not reloaded and backups');
      expect(text).to.not.include(first);
    }
    expect(await ids()).to.deep.equal([first, ...earlier]);
    const retired = (await place.prepare('master-key', 'retire', '--yes')).replaceAll(/\s+/g, ' ');
    expect(retired).to.include(earlier.join(', ')).and.include('Other credentials files, replicas');
    expect(await ids()).to.deep.equal([first]);
  }).timeout(60_000);
});
