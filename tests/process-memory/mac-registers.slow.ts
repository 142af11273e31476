import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { programAt } from '../programs/program.ts';
import { searchMemory } from './search.ts';
import { secretsOfKey } from './secrets.ts';
import { whileStopped } from './stop.ts';

const MAC_MAKER = programAt(new URL('./mac-maker.ts', import.meta.url));

// Reads /proc.
if (process.platform === 'linux') {
  describe('HMAC-SHA256 before a deoptimization, which saves vector registers to the heap', () => {
    let maker: ChildProcess;

    async function findTraces(manner: string): Promise<readonly string[]> {
      const key = randomBytes(32);
      maker = spawn(process.execPath, [MAC_MAKER, manner], { cwd: tmpdir(), stdio: ['pipe', 'pipe', 'inherit'] });
      maker.stdin?.write(key);
      if (maker.stdout !== null) await Promise.race([once(maker.stdout, 'data'), once(maker, 'exit')]);
      const pid = Number(maker.pid);
      const { traces } = await whileStopped(pid, () => searchMemory(pid, secretsOfKey('maker', 'hmac-sha256', key)));
      return [...new Set(traces.map(({ secret }) => secret.name))];
    }

    afterEach(() => maker?.kill('SIGKILL'));

    it('leaves nothing of the key if the signer makes it', async () => {
      expect(await findTraces('with the signer')).to.deep.equal([]);
    }).timeout(60_000);

    it('leaves the outer state otherwise, where OpenSSL uses SHA instructions (control)', async () => {
      const hasShaInstructions = /\bsha_ni\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
      expect(await findTraces('without the signer')).to.deep.equal(hasShaInstructions ? ['HMAC outer state'] : []);
    }).timeout(60_000);
  });
}
