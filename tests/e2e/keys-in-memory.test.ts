import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { formsOf, type SoughtSecret, searchProcessMemory } from '../process-memory.ts';
import { type ServiceProcess, Workplace } from './service-process.ts';

const SIGNATURES = 200;

// Only Linux shows a process's memory as a file.
if (process.platform === 'linux') {
  describe('The memory of the running service', () => {
    const place = new Workplace();
    const sought: SoughtSecret[] = [];
    let service: ServiceProcess;

    before(async function () {
      this.timeout(120_000);
      await place.done('init');
      await place.done('platform', 'add', '--platform', 'alpha', '--format', 'any');
      for (const algorithm of ['ed25519', 'eip191']) {
        // Beginning with a low byte, it is below the group order and so a key of both algorithms.
        const key = Buffer.from([1, ...randomBytes(31)]);
        const file = place.path(`${algorithm}.key`);
        writeFileSync(file, key, { mode: 0o600 });
        const account = ['--platform', 'alpha', '--account', algorithm, '--algorithm', algorithm];
        await place.done('account', 'add', ...account, '--key-file', file, '--key-format', 'raw');
        rmSync(file);
        sought.push({ name: algorithm, secrets: formsOf(key) });
      }
      sought.push({ name: 'master key', secrets: formsOf(readFileSync(place.path('master.key'))) });
      service = await place.start();
    });

    after(() => place.remove());

    it('holds no trace of a key after signatures, a reload, and more signatures', async () => {
      const sign = async (accountId: string, count: number) => {
        const requests = Array.from({ length: count }, (_, index) => ({
          requestId: String(index),
          platformId: 'alpha',
          accountId,
          data: { index },
        }));
        const { body } = await service.post('/sign/batch', { requests });
        expect(body.data.summary).to.deep.equal({ total: count, successful: count, failed: 0 });
      };
      for (const accountId of ['ed25519', 'eip191']) await sign(accountId, SIGNATURES);
      expect((await service.post('/config/reload')).status).to.equal(200);
      for (const accountId of ['ed25519', 'eip191']) await sign(accountId, 1);

      expect(searchProcessMemory(service.process.pid, sought)).to.deep.equal([]);
    }).timeout(120_000);

    it('would show one: what the service does hold is found', () => {
      const { accounts } = JSON.parse(readFileSync(place.path('credentials.json'), 'utf8'));
      const secrets = accounts.map(({ publicKey }: { publicKey: string }) => Buffer.from(publicKey));
      expect(searchProcessMemory(service.process.pid, [{ name: 'public keys', secrets }])).to.include('public keys');
    }).timeout(120_000);
  });
}
