import { spawn } from 'node:child_process';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { keccak256 } from 'ethers';
import { searchProcessMemory } from '../../../process-memory/search-process-memory.ts';
import { fixture } from './child-process.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

/** Rare leaks need many attempts: one occurred once in 600. */
const TIMES = 5000;
const PASSWORD = 'correct horse';

/** A cheap keystore and the secrets that must not remain. */
function makeKeystore() {
  const [key, salt, iv] = [randomBytes(32), randomBytes(32), randomBytes(16)];
  const derived = pbkdf2Sync(PASSWORD, salt, 1, 32, 'sha256');
  const keyStream = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(Buffer.alloc(32));
  const ciphertext = Buffer.from(key.map((byte, index) => byte ^ keyStream.readUInt8(index)));
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2);
  const json = JSON.stringify({
    version: 3,
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'pbkdf2',
      kdfparams: { prf: 'hmac-sha256', c: 1, dklen: 32, salt: salt.toString('hex') },
      mac,
    },
  });
  const halves = (bytes: Buffer) => [bytes.subarray(0, 16), bytes.subarray(16)];
  return {
    json,
    sought: [
      { name: 'private key', secrets: halves(key) },
      { name: 'key stream', secrets: halves(keyStream) },
      { name: 'derived key', secrets: halves(derived) },
    ],
  };
}

// Reads /proc.
if (process.platform === 'linux') {
  describe('Opening an Ethereum keystore many times', () => {
    const folder = useTemporaryFolder();

    it('leaves no half of its private key, key stream or derived key in memory', async () => {
      const { json, sought } = makeKeystore();
      const args = [fixture('open-keystore-often'), folder.file('keystore', json)];
      const child = spawn(process.execPath, [...args, PASSWORD, String(TIMES)], {
        cwd: tmpdir(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      try {
        expect(String((await once(child.stdout, 'data'))[0])).to.equal(`opened ${TIMES} times`);
        expect(searchProcessMemory(Number(child.pid), sought)).to.deep.equal([]);
      } finally {
        child.kill('SIGKILL');
      }
    }).timeout(120_000);
  });
}
