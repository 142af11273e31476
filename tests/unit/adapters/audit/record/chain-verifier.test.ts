import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../../../src/adapters/audit/record/audit-record.ts';
import { ChainVerifier } from '../../../../../src/adapters/audit/record/chain-verifier.ts';
import { type ReadRecord, readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { chainEntry, signRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditChain, createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

function read(line: string | undefined): ReadRecord {
  const record = readRecord(line ?? '');
  if ('issue' in record) throw new Error(record.issue);
  return record;
}

/** The first issue in the files of a chain. */
function findFirstIssue(verifier: ChainVerifier, files: readonly (readonly string[])[]): string | null {
  for (const lines of files) {
    for (const [index, line] of lines.entries()) {
      const issue = verifier.accept(read(line), index === 0);
      if (issue !== null) return issue;
    }
  }
  return null;
}

describe('ChainVerifier', () => {
  const key = createAuditKey();
  let chain: AuditChain;
  let verifier: ChainVerifier;

  beforeEach(() => {
    chain = new AuditChain({ key });
    chain.append();
    chain.append();
    chain.sign();
    chain.beginSegment('size');
    chain.append();
    verifier = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: null });
  });

  it('has verified nothing before the first record', () => {
    expect(verifier.verified).to.equal(null);
    expect(verifier.key).to.equal(null);
    expect(verifier.head).to.deep.equal(EMPTY_CHAIN);
  });

  it('reports the length of a chain and how much of it is signed', () => {
    expect(findFirstIssue(verifier, chain.files)).to.equal(null);
    const { time } = sampleAuditEntry();
    expect(verifier.verified).to.deep.equal({
      first: { seq: 1, time },
      last: { seq: 5, time, hash: chain.head.hash },
      signatures: 3,
      covered: 4,
    });
    expect(verifier.head).to.deep.equal(chain.head);
    expect(verifier.unsigned).to.equal(1);
    expect(verifier.key).to.deep.equal(chain.publicKey);
  });

  it('does not advance on an invalid record', () => {
    const [first, , third] = chain.lines;
    verifier.accept(read(first), true);
    const { head, verified } = verifier;
    expect(verifier.accept(read(third), false)).to.equal('is record 3: record 2 is missing before it');
    expect([verifier.head, verifier.verified]).to.deep.equal([head, verified]);
  });

  it('continues from a known record', () => {
    const known = new ChainVerifier({ head: read(chain.lines[1]), trustedKeys: null, key: chain.publicKey });
    expect(findFirstIssue(known, [chain.lines.slice(2)])).to.equal('begins a file but is not a segment record');
    expect(known.accept(read(chain.lines[2]), false)).to.equal(null);
    expect(known.verified?.first.seq).to.equal(3);
  });

  it('accepts any possible first record of a later file', () => {
    expect(findFirstIssue(new ChainVerifier({ head: null, trustedKeys: null }), [chain.files[1] ?? []])).to.equal(null);
    const orphan = new AuditChain({ key, head: { seq: 4, hash: null } });
    expect(findFirstIssue(new ChainVerifier({ head: null, trustedKeys: null }), orphan.files)).to.equal(
      'is record 5 but has no prevHash, which only record 1 lacks',
    );
    const early = new AuditChain({ key, head: { seq: 0, hash: `sha256:${'00'.repeat(32)}` } });
    expect(findFirstIssue(new ChainVerifier({ head: null, trustedKeys: null }), early.files)).to.match(
      /^is record 1 but has a prevHash/,
    );
    expect(findFirstIssue(verifier, early.files)).to.match(/^is record 1, but does not follow the previous line/);
  });

  it('requires the trusted keys in each file', () => {
    const trusting = (...trustedKeys: Buffer[]) => new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys });
    const other = createAuditKey();
    expect(findFirstIssue(trusting(Buffer.from(other.publicKey), chain.publicKey), chain.files)).to.equal(null);
    expect(findFirstIssue(trusting(Buffer.from(other.publicKey)), chain.files)).to.match(
      /^contains the audit public key \S{44}, which is not trusted$/,
    );
    chain.beginSegment('key', other);
    chain.sign();
    expect(findFirstIssue(trusting(Buffer.from(key.publicKey)), chain.files)).to.match(/which is not trusted$/);
    expect(findFirstIssue(verifier, chain.files)).to.equal(null);
    expect(verifier.key).to.deep.equal(Buffer.from(other.publicKey));
  });

  it('rejects a record signed by the key of an earlier file', () => {
    const changed = new AuditChain({ key });
    changed.beginSegment('key', createAuditKey());
    expect(findFirstIssue(verifier, changed.files)).to.equal(null);
    const { line } = signRecord(chainEntry(sampleAuditEntry(), changed.head), key);
    const issue = 'has a signature that the audit key did not create: it was altered or forged';
    expect(verifier.accept(read(line), false)).to.equal(issue);
    expect(verifier.accept(read(line.replace('"}', '" }')), false)).to.equal(issue);
  });

  it('detects a modified record by its successor or its signature', () => {
    const alter = (at: number) =>
      chain.files.map((lines, file) =>
        file === 0 ? lines.map((line, index) => (index === at ? line.replace('"main"', '"mine"') : line)) : lines,
      );
    expect(findFirstIssue(verifier, alter(1))).to.match(
      /^is record 3, but does not follow the previous line: one of the two was altered or belongs to another chain \(/,
    );
    const fresh = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: null });
    expect(findFirstIssue(fresh, alter(2))).to.match(/^has a signature that the audit key did not create/);
  });
});
