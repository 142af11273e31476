import { expect } from 'chai';
import { writeAuthFiles } from '../harness/authenticated-caller.ts';
import { underLimit } from '../harness/locked-memory.ts';
import { Workplace } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { MasterKeyVault, WRAPPED_BY_VAULT } from '../memory/wrapped-master-key.ts';
import { writeAccounts } from './many-accounts.ts';

const ACCOUNTS = 500;

// Only Linux limits locked memory like this.
if (process.platform === 'linux') {
  describe('The service under a limit on locked memory', () => {
    const place = useWorkplace([], { SIGNING_KEY_REFRESH_SECONDS: '1' });

    before(async function () {
      this.timeout(120_000);
      writeAccounts(place, ACCOUNTS, ['ed25519', 'eip191']);
    });

    afterEach(() => {
      delete place.environment['SIGNING_MEMORY_LOCK'];
    });

    async function signAll(service: Awaited<ReturnType<Workplace['start']>>) {
      const requests = Array.from({ length: ACCOUNTS }, (_, index) => ({
        requestId: String(index),
        platformId: 'alpha',
        accountId: `account-${index}`,
        data: { index },
      }));
      const { body } = await service.post('/sign/batch', { requests });
      expect(body.data.summary).to.deep.equal({ total: ACCOUNTS, successful: ACCOUNTS, failed: 0 });
    }

    it('refuses to start if no memory can be locked, and names the limit to raise', async () => {
      place.launcher = underLimit(0);
      const { exitCode, stderr, stdout } = await place.spawn('main.js', []).ended();
      expect(exitCode).to.equal(2);
      expect(stderr)
        .to.include('The service did not start.\nMemory for keys cannot be locked (limit: 0 bytes).')
        .and.to.include('ulimit -l 65536')
        .and.to.include('LimitMEMLOCK=64M')
        .and.to.include('--ulimit memlock=67108864')
        .and.to.include('SIGNING_MEMORY_LOCK=warn')
        .and.not.to.match(/^ +at /m);
      expect(stdout).not.to.include('Listening');
    }).timeout(60_000);

    it('starts in that case with SIGNING_MEMORY_LOCK=warn, and warns', async () => {
      place.launcher = underLimit(0);
      place.environment['SIGNING_MEMORY_LOCK'] = 'warn';
      const service = await place.start();
      await signAll(service);
      const { exitCode, stdout } = await service.stop();
      expect(exitCode).to.equal(0);
      const warnings = stdout.split('\n').filter((line) => line.includes('cannot be locked'));
      expect(warnings).to.have.length(1);
      expect(JSON.parse(warnings[0] ?? '')).to.include({ level: 'warn' });
    }).timeout(60_000);

    it(`signs for ${ACCOUNTS} accounts within 64 KiB, through reloads and refreshes`, async () => {
      place.launcher = underLimit(64);
      const service = await place.start();
      await signAll(service);
      // Several refreshes during a reload.
      for (let round = 0; round < 8; round += 1) {
        const [reloaded] = await Promise.all([service.post('/config/reload'), signAll(service)]);
        expect(reloaded.status).to.equal(200);
      }
      const { exitCode, stdout, stderr } = await service.stop();
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      expect(stdout).not.to.include('"level":"error"');
    }).timeout(120_000);

    it('starts, reloads and signs within 64 KiB with 10 master keys that Vault wraps, and a response key', async () => {
      const wrapped = new Workplace({ SIGNING_KEY_REFRESH_SECONDS: '1' });
      Object.assign(wrapped.environment, writeAuthFiles(wrapped.folder), { SIGNING_AUTH: 'optional' });
      const vault = await MasterKeyVault.start(wrapped);
      try {
        await wrapped.prepare('init', ...WRAPPED_BY_VAULT);
        await wrapped.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
        const account = ['--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519'];
        await wrapped.prepare('account', 'add', ...account);
        for (let time = 0; time < 9; time += 1) await wrapped.prepare('master-key', 'rotate');
        wrapped.launcher = underLimit(64);
        const service = await wrapped.start();
        await vault.stop();
        expect((await service.post('/config/reload')).status).to.equal(200);
        const request = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };
        expect((await service.post('/sign', request)).status).to.equal(200);
        expect((await service.stop()).exitCode).to.equal(0);
      } finally {
        await wrapped.remove();
      }
    }).timeout(120_000);
  });
}
