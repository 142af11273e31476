import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKey, createAuditKey } from '../../../src/adapters/audit/audit-key.ts';
import { verifyAudit } from '../../../src/app/verify-audit.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

const REQUEST = { publicKeys: [], checkpoints: [], usage: true, onProgress: null };

describe('verifyAudit', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'verify-audit-'));
    file = join(folder, 'audit.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const time = (second: number) => new Date(Date.parse('2026-11-20T08:49:00.000Z') + second * 1000).toISOString();

  function usedChain(): AuditChain {
    const chain = new AuditChain({ time: time(0) });
    chain.append(sampleAuditEntry({ time: time(1) }));
    return chain;
  }

  it('counts no usage of files with an issue', async () => {
    const [segment = ''] = usedChain().write(file);
    appendFileSync(segment, 'no record\n');
    const { verdict, usage } = await verifyAudit({}, { ...REQUEST, files: [segment] });
    expect([verdict.issue?.file, verdict.issue?.line, usage]).to.deep.equal([segment, 3, null]);
  });

  it('derives a missing public half from the audit key, if the key can be read', async () => {
    const environment = { SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key') };
    const auditKeyFile = environment.SIGNING_AUDIT_KEY_FILE;
    createAuditKey(auditKeyFile);
    rmSync(`${auditKeyFile}.pub`);
    const key = AuditKey.open(auditKeyFile);
    const chain = new AuditChain({ time: time(0), key });
    chain.append(sampleAuditEntry({ time: time(1) }));
    chain.sign();
    const files = chain.write(file);
    key.destroy();
    const { verdict, keys } = await verifyAudit(environment, { ...REQUEST, files });
    expect([verdict.issue, keys]).to.deep.equal([null, { source: 'configured', file: auditKeyFile }]);
    const forged = usedChain();
    forged.sign();
    const { verdict: found } = await verifyAudit(environment, { ...REQUEST, files: forged.write(file) });
    expect(found.issue?.message).to.match(/^contains the audit public key \S+, which is not trusted/);
    const watched = { ...environment, NODE_ENV: 'production', PREBUILDS_ONLY: '1' };
    expect((await verifyAudit(watched, { ...REQUEST, files: [file] })).keys.source).to.equal('none');
    chmodSync(auditKeyFile, 0o644);
    const unread = await verifyAudit(environment, { ...REQUEST, files: chain.write(file).slice(-1) });
    expect(unread.keys).to.deep.equal({ source: 'none', file: `${auditKeyFile}.pub` });
  });
});
