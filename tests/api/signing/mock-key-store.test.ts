import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { addAccount, runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere } from '../../harness/start-here.ts';

describe('A mock KeyStore under the whole service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  const environment = settingsIn(folder);
  const keyStore = new MockKeyStore();
  let service: RunningService;

  before(async () => {
    await runCommand(environment, 'init');
    await runCommand(environment, 'platform', 'add', '--platform', 'alpha', '--format', 'any');
    await addAccount(environment, 'alpha', 'first', 'ed25519');
    await addAccount(environment, 'alpha', 'second', 'eip191');

    service = await startHere(environment, { keyStore });
  });

  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function sign(accountId: string, data: object = { side: 'buy' }): Promise<number> {
    const body = JSON.stringify({ platformId: 'alpha', accountId, data });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${service.url}/api/v1/sign`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  it('receives every key', () => {
    const created = keyStore.calls.filter(({ call }) => call === 'create').map(({ identity }) => identity?.accountId);
    expect(created).to.deep.equal(['first', 'second']);
  });

  it('opens the key of the named account once for a signature', async () => {
    const before = keyStore.calls.length;
    expect(await sign('second')).to.equal(200);
    expect(keyStore.calls.slice(before)).to.deep.equal([
      { call: 'use', identity: { platformId: 'alpha', accountId: 'second', algorithm: 'eip191' } },
    ]);
  });

  it('opens no key for a refused request', async () => {
    const before = keyStore.calls.length;
    expect(await sign('unknown')).to.equal(404);
    expect(await sign('../first')).to.equal(400);
    expect(await sign('first', { amount: 2 ** 53 })).to.equal(400);
    expect(keyStore.calls.slice(before)).to.deep.equal([]);
  });

  it('opens no key to read accounts and status', async () => {
    const before = keyStore.calls.length;
    for (const path of ['accounts', 'accounts/alpha/first', 'status']) {
      expect((await fetch(`${service.url}/api/v1/${path}`)).status).to.equal(200);
    }
    expect(keyStore.calls.slice(before)).to.deep.equal([]);
  });
});
