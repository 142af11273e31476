import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { type AccountPlan, EVERY_ACCOUNT, newKeyOf } from '../memory/accounts.ts';
import { RAW_FILE } from '../memory/key-sources.ts';
import { type KeyUse, STEPS } from './key-user.ts';
import { searchMemory } from './search.ts';
import { whileStopped } from './stop.ts';

const KEY_USER = fileURLToPath(new URL('./key-user.js', import.meta.url));
const OWNER_ONLY = { mode: 0o600 };
/** Older releases save half of each. */
const V8_SAVES_WHOLE_REGISTERS = Number.parseInt(process.versions.v8, 10) >= 13;

/** Algorithms that share no code with each other. */
const ALGORITHMS_TO_USE: readonly Algorithm[] = ['ed25519', 'eip191', 'hmac-sha256', 'starknet', 'rsa-sha256', 'es256'];
const FILE_PLANS = EVERY_ACCOUNT.filter(({ source }) => source.kind === 'file');
/** Of the sources that one function decodes, one; PEM keys of each kind. */
const SOURCES_TO_READ = [
  'raw',
  'base58',
  'pem',
  'pem sec1',
  'solana',
  'keystore scrypt',
  'mnemonic of 24',
  'utf8',
  'base64-text',
];
const PLANS_TO_READ = FILE_PLANS.filter(
  ({ source }, index) =>
    SOURCES_TO_READ.includes(source.name) &&
    (source.name === 'pem' || FILE_PLANS.findIndex((plan) => plan.source === source) === index),
);
const PLANS_TO_USE = FILE_PLANS.filter(
  ({ algorithm, source }) => source === RAW_FILE && ALGORITHMS_TO_USE.includes(algorithm),
);

// Reads /proc.
if (process.platform === 'linux') {
  describe('A deoptimization, which saves vector registers to the heap', () => {
    const folder = mkdtempSync(join(tmpdir(), 'registers-'));
    let user: ChildProcess;

    before(() => {
      user = spawn(process.execPath, [KEY_USER], { cwd: tmpdir(), stdio: ['pipe', 'pipe', 'inherit'] });
    });

    after(() => {
      user.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    });

    /**
     * Names of the secrets of a new key that are in memory after a deoptimization behind `step`.
     */
    async function tracesAfter(step: KeyUse['step'], plan: AccountPlan): Promise<readonly string[]> {
      const { keyFile, secrets } = newKeyOf(plan);
      const file = join(folder, 'key');
      const passwordFile = join(folder, 'password');
      writeFileSync(file, keyFile.content, OWNER_ONLY);
      if (keyFile.password !== undefined) writeFileSync(passwordFile, keyFile.password, OWNER_ONLY);
      const { format } = plan.source;
      const reference = { file, format, ...(keyFile.password === undefined ? {} : { passwordFile }) };
      const keyUse: KeyUse = { step, algorithm: plan.algorithm, reference };
      user.stdin?.write(`${JSON.stringify(keyUse)}\n`);
      if (user.stdout !== null) await once(user.stdout, 'data');
      const pid = Number(user.pid);
      const { traces } = await whileStopped(pid, () => searchMemory(pid, secrets));
      // The next work overwrites what native code leaves on the stack.
      const kept = traces.filter(({ place }) => !place.endsWith(' [stack]'));
      return [...new Set(kept.map(({ secret }) => `${plan.name}: ${secret.name}`))];
    }

    for (const step of STEPS) {
      it(`leaves nothing of a key that was ${step}`, async () => {
        const found: string[] = [];
        for (const plan of step === 'read' ? PLANS_TO_READ : PLANS_TO_USE)
          found.push(...(await tracesAfter(step, plan)));
        expect(found).to.deep.equal([]);
      }).timeout(120_000);
    }

    /** Names found with one of ten keys: other work may overwrite what was saved. */
    async function tracesOfOneAfter(step: KeyUse['step'], plan: AccountPlan): Promise<readonly string[]> {
      for (let key = 0; key < 10; key += 1) {
        const found = await tracesAfter(step, plan);
        if (found.length > 0) return found;
      }
      return [];
    }

    if (V8_SAVES_WHOLE_REGISTERS) {
      it('leaves a key that Buffer.copy copied (control)', async () => {
        const plan: AccountPlan = { name: 'copied', algorithm: 'rsa-sha256', source: RAW_FILE };
        expect(await tracesOfOneAfter('copied', plan)).to.not.deep.equal([]);
      }).timeout(120_000);
    }

    it('leaves the state of an HMAC that OpenSSL makes with SHA instructions (control)', async () => {
      const hasShaInstructions = /\bsha_ni\b/.test(readFileSync('/proc/cpuinfo', 'utf8'));
      const plan: AccountPlan = { name: 'of OpenSSL', algorithm: 'hmac-sha256', source: RAW_FILE };
      const expected = hasShaInstructions ? ['of OpenSSL: HMAC outer state'] : [];
      expect(await tracesOfOneAfter('signed by OpenSSL', plan)).to.deep.equal(expected);
    }).timeout(120_000);
  });
}
