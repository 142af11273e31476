import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { searchProcessMemory } from '../../../process-memory/search-process-memory.ts';
import { fixture } from '../secret-files/child-process.ts';

const FIXTURE = fixture('vault/fixtures/use-key-encryption-key');

// Reads /proc.
if (process.platform === 'linux') {
  describe("The key-encryption key in its process's memory", () => {
    /** Traces of the key, whole or half, at that moment. */
    async function tracesAt(moment: string): Promise<number> {
      const child = spawn(process.execPath, [FIXTURE, moment], {
        cwd: tmpdir(),
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      try {
        const settled = moment === 'while it may still be used' ? Promise.resolve() : once(child.stderr, 'data');
        const [[key]] = await Promise.all([once(child.stdout, 'data'), settled]);
        expect(key).to.have.length(32);
        const secrets = [key, key.subarray(0, 16), key.subarray(16)];
        return searchProcessMemory(Number(child.pid), [{ name: 'key', secrets }]).length;
      } finally {
        child.kill('SIGKILL');
      }
    }

    for (const moment of ['when it is used no more', 'after a refresh', 'after it was freed']) {
      it(`leaves no trace ${moment}`, async () => {
        expect(await tracesAt(moment)).to.equal(0);
      }).timeout(60_000);
    }

    it('is found by the same search in a refresh', async () => {
      expect(await tracesAt('in a refresh')).to.be.above(0);
    }).timeout(60_000);
  });
}
