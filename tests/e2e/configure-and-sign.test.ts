import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { verifyMessage } from 'ethers/hash';
import { bs58 } from '../harness/base58.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';

describe('From nothing to a signature, with the commands of the README', () => {
  const place = new Workplace();
  const data = { text: 'hello' };
  let service: ServiceProcess;

  function sign(accountId: string) {
    return service.post('/sign', { platformId: 'my-exchange', accountId, data });
  }

  before(async function () {
    this.timeout(60_000);
    // First, since the last test needs it two seconds old.
    const words = 'test test test test test test test test test test test junk';
    writeFileSync(place.path('mnemonic.txt'), words, { mode: 0o600 });
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'my-exchange', '--format', 'any', '--rule', 'raw');
    await place.prepare('account', 'add', '--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519');
    service = await place.start();
  });

  after(() => place.remove());

  it('signs with a generated key, and the signature verifies', async () => {
    const { status, body } = await sign('main');
    expect(status).to.equal(200);
    const x = Buffer.from(bs58.decode(body.data.publicKey)).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from('hello'), key, bs58.decode(body.data.signature))).to.equal(true);
  });

  it('creates files that only their owner can read', () => {
    for (const file of ['credentials.json', 'master.key', 'audit.key', 'audit.jsonl']) {
      expect(statSync(place.path(file)).mode & 0o777, file).to.equal(0o600);
    }
  });

  it('init names the file for the auditors, and recreates it if missing', async () => {
    const file = place.path('audit.key.pub');
    const key = readFileSync(file);
    rmSync(file);
    const printed = await place.prepare('init');
    expect(printed).to.include(`created  audit public key  ${file}\n`).and.include(`Give ${file} to your auditors`);
    expect(readFileSync(file)).to.deep.equal(key);
    expect(createPublicKey(key).asymmetricKeyType).to.equal('ed25519');
    expect(statSync(file).mode & 0o777).to.equal(0o644 & ~process.umask());
  });

  it('init rejects a public key that does not match the audit key, and names the remedy', async () => {
    const file = place.path('audit.key.pub');
    const key = readFileSync(file);
    writeFileSync(file, 'something else');
    const { stderr, exitCode } = await place.commandHere('init');
    expect(exitCode).to.equal(2);
    expect(stderr)
      .to.include(`${file} is not the public half of the audit key`)
      .and.include('Move it to another folder');
    expect(stderr).to.not.match(/^\s+at /m);
    writeFileSync(file, key);
  });

  it('loads an added account on the next reload, and not before, with SIGNING_WATCH=false', async () => {
    await place.prepare(
      ...['account', 'add', '--platform', 'my-exchange', '--account', 'second', '--algorithm', 'eip191'],
      ...['--alias', 'Second book', '--environment', 'testnet'],
    );
    expect((await sign('second')).status).to.equal(404);
    const { status, body } = await service.post('/config/reload');
    expect(status).to.equal(200);
    expect(body.data.changes).to.deep.equal({ added: 1, updated: 0, removed: 0 });
    expect(body.data.accountCount).to.equal(2);
    expect(body.data.platformCount).to.equal(1);
    expect((await sign('second')).status).to.equal(200);
    const { body: shown } = await service.get('/accounts/my-exchange/second');
    expect(shown.data).to.include({ alias: 'Second book', environment: 'testnet', algorithm: 'eip191' });
  });

  it('records only the members named by `platform add --audit-clear`, and logs no data', async () => {
    const printed = await place.prepare(
      ...['platform', 'add', '--platform', 'desk', '--format', 'A'],
      ...['--audit-clear', 'instruction.amount', 'tags.strategy'],
    );
    expect(printed).to.include('Audit records will show the values of instruction.amount, tags.strategy.');
    await place.prepare('account', 'add', '--platform', 'desk', '--account', 'main', '--algorithm', 'ed25519');
    await service.post('/config/reload');

    const instruction = { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '73912.25', price: '98.5-canary' };
    const order = { instruction, nonce: 7, tags: { strategy: 'grid-4', desk: 'canary' }, memo: 'canary' };
    const { status } = await service.post('/sign', { platformId: 'desk', accountId: 'main', data: order });
    expect(status).to.equal(200);
    const audit = readFileSync(place.path('audit.jsonl'), 'utf8');
    const [record] = audit.match(/^.*"platformId":"desk".*$/m) ?? [];
    expect(JSON.parse(record ?? '').data).to.deep.equal({
      instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '73912.25', price: '[masked]' },
      nonce: 7,
      tags: { strategy: 'grid-4', '[other]': '[masked]' },
      '[other]': '[masked]',
    });
    expect(audit).to.not.include('canary');
    expect(service.process.stdout).to.not.match(/canary|73912\.25|grid-4/);
  });

  it('prints no secret and accepts none as an argument', async () => {
    const key = randomBytes(32);
    writeFileSync(place.path('imported.key'), key, { mode: 0o600 });
    const added = await place.commandHere(
      ...['account', 'add', '--platform', 'my-exchange', '--account', 'imported', '--algorithm', 'ed25519'],
      ...['--key-file', place.path('imported.key'), '--json'],
    );
    expect(added.exitCode).to.equal(0);
    const listed = await place.prepare('account', 'list', '--json');
    const printed = added.stdout + added.stderr + listed + (await place.prepare('init'));
    const stored = readFileSync(place.path('credentials.json'), 'utf8');
    const keyIn = (name: string) => Buffer.from(readFileSync(place.path(name), 'utf8').trim(), 'hex');
    for (const secret of [key, keyIn('master.key'), keyIn('audit.key')]) {
      for (const text of [secret.toString('hex'), secret.toString('base64'), bs58.encode(secret)]) {
        expect(printed).to.not.include(text);
        expect(stored).to.not.include(text);
      }
    }
  });

  it('signs with the key at the changed derivationPath of a mnemonic after a reload', async () => {
    // The first two accounts of Hardhat:
    // https://hardhat.org/hardhat-network/docs/reference#accounts
    const addresses = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'];
    await service.post('/config/reload');
    const before = readFileSync(place.path('credentials.json'), 'utf8');
    const file = place.path('mnemonic.txt');
    // The key of a file that has just changed is opened by every reload.
    while (Date.now() - statSync(file).ctimeMs < 2000) await sleep(20);
    for (const [index, address] of addresses.entries()) {
      const key = { file, format: 'mnemonic', derivationPath: `m/44'/60'/0'/0/${index}` };
      const account = { platformId: 'my-exchange', accountId: 'wallet', algorithm: 'eip191', key };
      const credentials = JSON.parse(before);
      writeFileSync(
        place.path('credentials.json'),
        JSON.stringify({ ...credentials, accounts: [...credentials.accounts, account] }),
      );
      const { body } = await service.post('/config/reload');
      expect(body.data.changes).to.deep.equal({ added: 1 - index, updated: index, removed: 0 });
      expect(verifyMessage('hello', (await sign('wallet')).body.data.signature)).to.equal(address);
    }
  });
});
