import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { countIntactAccounts, writeAccounts } from '../e2e/many-accounts.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { whileServing } from '../harness/start-here.ts';

const ACCOUNTS = 300;

interface Report {
  readonly primary: { readonly id: string; readonly accounts: number };
  readonly previous: { readonly id: string; readonly accounts: number } | null;
  readonly leftovers: readonly string[];
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
    const before = await status();
    const old = readFileSync(place.path('credentials.json'));

    const printed = await place.prepare('master-key', 'rotate');
    expect(printed).to.include(`accounts resealed: ${ACCOUNTS}`).and.include('master-key retire');
    const order = ['master.key.previous, then', 'master.key, then', 'credentials.json.'].map((name) =>
      printed.indexOf(`   ${place.path(name)}\n`),
    );
    expect(order).to.not.include(-1);
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
    expect(printed).to.match(/every other credentials file under the same master key is rotated/);
    expect(await reloads(service)).to.deep.equal([(await status()).primary.id]);
    expect(await signs(service, 'account-0')).to.equal(publicKey);

    // State after a kill before the last step.
    const done = readFileSync(place.path('credentials.json'));
    writeFileSync(place.path('credentials.json'), old);
    expect(await reloads(service)).to.deep.equal([before.primary.id]);
    expect(await signs(service, 'account-1')).to.be.a('string');
    place.environment['SIGNING_AUDIT_FILE'] = place.path('second.jsonl');
    expect(await whileServing(place, (halfway) => signs(halfway, 'account-0'))).to.equal(publicKey);
    expect(await place.prepare('master-key', 'status')).to.include('A rotation is incomplete');
    writeFileSync(place.path('credentials.json'), done);

    expect(await place.prepare('master-key', 'retire', '--yes')).to.include(before.primary.id);
    await reloads(service);
    expect(await signs(service, `account-${ACCOUNTS - 1}`)).to.be.a('string');
    expect((await service.stop()).exitCode).to.equal(0);

    expect(await whileServing(place, (next) => signs(next, 'account-0'))).to.equal(publicKey);
    const after = await status();
    expect([after.primary.accounts, after.previous]).to.deep.equal([ACCOUNTS, null]);
    expect(after.primary.id).to.not.equal(before.primary.id);
  }).timeout(60_000);

  it('fails on a full disk without changing anything, and works once there is space', async () => {
    const contents = () => ['credentials.json', 'master.key'].map((name) => readFileSync(place.path(name), 'hex'));
    const before = contents();
    place.launcher = ['bash', '-c', 'ulimit -f 16; exec "$@"', 'bash'];
    const { exitCode, stderr } = await place.command('master-key', 'rotate');
    place.launcher = [];
    expect(exitCode).to.equal(2);
    expect(stderr)
      .to.include('credentials.json cannot be written (EFBIG)')
      .and.include('Neither the master key nor the credentials file was changed.');
    expect(contents()).to.deep.equal(before);
    expect(readdirSync(place.folder).filter((name) => /tmp|previous/.test(name))).to.deep.equal([]);
    await place.prepare('master-key', 'rotate');
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
  }).timeout(60_000);

  it('lists files left by a killed rotation in status and doctor, until they are retired', async () => {
    const left = ['credentials.json', 'master.key', 'master.key.previous'].map((name) => place.path(`${name}.tmp`));
    expect((await status()).leftovers).to.deep.equal([]);
    expect(await place.prepare('master-key', 'status')).to.not.include('killed');
    for (const file of left) writeFileSync(file, readFileSync(place.path('master.key')), { mode: 0o600 });

    expect((await status()).leftovers).to.deep.equal(left);
    const text = await place.prepare('master-key', 'status');
    for (const file of left) expect(text).to.include(`  ${file}\n`);
    expect(text).to.include('master-key retire removes them');
    const doctor = await place.commandHere('doctor', '--json');
    for (const file of left) expect(doctor.stdout).to.include(file);

    const retired = await place.prepare('master-key', 'retire', '--yes');
    for (const file of left) expect(retired).to.include(`Removed temporary files of a killed command: ${file}\n`);
    expect(retired).to.include('There is no previous master key.');
    expect(left.filter(existsSync)).to.deep.equal([]);
    expect(await countIntactAccounts(place)).to.equal(ACCOUNTS);
    const again = await place.commandHere('master-key', 'retire');
    expect([again.exitCode, again.stderr]).to.satisfy(
      ([code, message]: readonly [number, string]) => code === 2 && message.includes('There is no previous master key'),
    );
  }).timeout(60_000);

  it('removes nothing without --yes, and names the key and files that it would remove', async () => {
    await place.prepare('master-key', 'rotate');
    const file = place.path('credentials.json.tmp');
    writeFileSync(file, '{}');
    const id = (await status()).previous?.id ?? expect.fail();
    for (const options of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await place.commandHere('master-key', 'retire', ...options);
      expect([exitCode, stdout]).to.deep.equal([2, '']);
      for (const text of [id, place.path('master.key.previous'), file, '--yes']) expect(stderr).to.include(text);
    }
    const { previous, leftovers } = await status();
    expect([previous?.id, leftovers]).to.deep.equal([id, [file]]);
    await place.prepare('master-key', 'retire', '--yes');
    expect(existsSync(file) || existsSync(place.path('master.key.previous'))).to.equal(false);
  }).timeout(60_000);

  it('explains that a rotation replaces a previous file holding the primary key', async () => {
    const before = await status();
    writeFileSync(place.path('master.key.previous'), readFileSync(place.path('master.key')), { mode: 0o600 });
    expect(await place.prepare('master-key', 'status'))
      .to.include('To rotate with another new key, run master-key rotate')
      .and.include('master-key retire --yes, which removes the copy')
      .and.not.include('finish it');
    await place.prepare('master-key', 'retire', '--yes');
    expect((await status()).previous).to.equal(null);
    expect((await status()).primary.id).to.equal(before.primary.id);
  }).timeout(60_000);
});
