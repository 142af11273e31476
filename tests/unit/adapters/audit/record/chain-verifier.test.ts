import { expect } from 'chai';
import { ChainVerifier } from '../../../../../src/adapters/audit/record/chain-verifier.ts';
import { type ReadRecord, readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { chainEntry, EMPTY_CHAIN, signRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

function read(line: string | undefined): ReadRecord {
  const record = readRecord(line ?? '');
  if ('issue' in record) throw new Error(record.issue);
  return record;
}

function findFirstIssue(verifier: ChainVerifier, lines: readonly string[]): string | null {
  for (const [index, line] of lines.entries()) {
    const issue = verifier.accept(read(line), index === 0);
    if (issue !== null) return issue;
  }
  return null;
}

// tests/property/audit-tampering.test.ts covers alterations.
describe('ChainVerifier', () => {
  const key = createAuditKey();
  const fromAnywhere = () => new ChainVerifier({ head: null, trustedKeys: null });

  it('accepts any possible first record of a later file', () => {
    const later = new AuditChain({ key, head: { seq: 4, hash: `sha256:${'00'.repeat(32)}` } });
    expect(findFirstIssue(fromAnywhere(), later.lines)).to.equal(null);
    const orphan = new AuditChain({ key, head: { seq: 4, hash: null } });
    expect(findFirstIssue(fromAnywhere(), orphan.lines)).to.equal(
      'is record 5 but has no prevHash, which only record 1 lacks',
    );
    const early = new AuditChain({ key, head: { seq: 0, hash: `sha256:${'00'.repeat(32)}` } });
    expect(findFirstIssue(fromAnywhere(), early.lines)).to.match(/^is record 1 but has a prevHash/);
  });

  it('rejects a record signed by the key of an earlier file', () => {
    const changed = new AuditChain({ key });
    const verifier = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: null });
    expect(findFirstIssue(verifier, changed.files[0] ?? [])).to.equal(null);
    changed.beginSegment('key', createAuditKey());
    expect(findFirstIssue(verifier, changed.files[1] ?? [])).to.equal(null);
    const { line } = signRecord(chainEntry(sampleAuditEntry(), changed.head), key);
    const issue = 'has a signature that the audit key did not create: it was altered or forged';
    expect(verifier.accept(read(line), false)).to.equal(issue);
  });
});
