import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALGORITHMS, type Algorithm } from '../../src/domain/model/algorithm.ts';
import type { ServiceProcess } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { type MemorySearch, searchMemory, type Trace } from '../process-memory/search.ts';
import { type Secret, secretOf, secretsOfKey } from '../process-memory/secrets.ts';
import { whileStopped } from '../process-memory/stop.ts';
import { strayTraces } from '../process-memory/stray-traces.ts';
import { PROOF_PLATFORMS, SIGNING_PROOFS, valueOptions } from './signing-proofs.ts';

const SIGNATURES = 200;
const AUDIT_KEY = 'audit key';

/** RSAPrivateKey in DER. */
function newRsaKey(): Buffer {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'der', type: 'pkcs1' });
}

// Only Linux exposes process memory as a file.
if (process.platform === 'linux') {
  describe('The memory of the running service', () => {
    const place = useWorkplace();
    const secrets: Secret[] = [];
    let service: ServiceProcess;

    before(async function () {
      this.timeout(120_000);
      for (const { platformId, rule } of PROOF_PLATFORMS) {
        await place.prepare('platform', 'add', '--platform', platformId, '--format', 'any', '--rule', rule);
      }
      for (const algorithm of ALGORITHMS) {
        // The low first byte keeps it below the group order, valid for every algorithm.
        const key = algorithm === 'rsa-sha256' ? newRsaKey() : Buffer.from([1, ...randomBytes(31)]);
        const file = place.path(`${algorithm}.key`);
        writeFileSync(file, key, { mode: 0o600 });
        const { platformId } = SIGNING_PROOFS[algorithm];
        const account = [
          '--platform',
          platformId,
          '--account',
          algorithm,
          '--algorithm',
          algorithm,
          ...valueOptions(algorithm),
        ];
        await place.prepare('account', 'add', ...account, '--key-file', file, '--key-format', 'raw');
        rmSync(file);
        secrets.push(...secretsOfKey(algorithm, algorithm, key));
      }
      secrets.push(secretOf('master key', 'master key', readFileSync(place.path('master.key'))));
      const auditSeed = Buffer.from(readFileSync(place.path('audit.key'), 'utf8').trim(), 'hex');
      secrets.push(...secretsOfKey(AUDIT_KEY, 'ed25519', auditSeed));
      service = await place.start();
    });

    it('holds no trace of a key after signatures, a reload, and more signatures', async () => {
      const sign = async (algorithm: Algorithm, count: number) => {
        const { platformId, dataOf } = SIGNING_PROOFS[algorithm];
        const requests = Array.from({ length: count }, (_, index) => ({
          requestId: String(index),
          platformId,
          accountId: algorithm,
          data: dataOf(String(index)),
        }));
        const { body } = await service.post('/sign/batch', { requests });
        expect(body.data.summary).to.deep.equal({ total: count, successful: count, failed: 0 });
      };
      for (const algorithm of ALGORITHMS) await sign(algorithm, SIGNATURES);
      expect((await service.post('/config/reload')).status).to.equal(200);
      for (const algorithm of ALGORITHMS) await sign(algorithm, 1);

      const { traces: found } = search(service, secrets);
      const isAuditKey = ({ secret }: Trace) => secret.owner === AUDIT_KEY;
      // One copy of the audit key may be in locked memory.
      const ofKeys = found.filter((trace) => !isAuditKey(trace));
      const traces = [...ofKeys, ...strayTraces(found.filter(isAuditKey))];
      expect(traces.map(({ secret, form }) => `${secret.owner}, ${secret.name}: ${form}`)).to.deep.equal([]);
    }).timeout(120_000);

    it('contains the public keys, which the search finds (control)', () => {
      const { accounts } = JSON.parse(readFileSync(place.path('credentials.json'), 'utf8'));
      const parts = accounts.map(({ publicKey }: { publicKey: string }) => Buffer.from(publicKey));
      const publicKeys = { owner: 'service', name: 'public keys', forms: [{ name: 'text', parts }] };
      const found = search(service, [publicKeys]).traces.map(({ part }) => part);
      expect([...new Set(found)]).to.have.members(ALGORITHMS.map((_, index) => index));
    }).timeout(120_000);
  });
}

function search({ process: { pid } }: ServiceProcess, secrets: readonly Secret[]): MemorySearch {
  return whileStopped(pid, () => searchMemory(pid, secrets));
}
