import { createPublicKey, hash, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { expect } from 'chai';

/** A line of the audit file, parsed. */
export interface ParsedRecord {
  readonly seq: number;
  readonly time: string;
  readonly event: string;
  readonly correlationId: string | null;
  readonly data: { readonly [name: string]: unknown } | null;
  readonly prevHash: string | null;
  readonly hash: string;
  readonly instanceId: string;
}

/** One file of a chain. */
export interface ParsedFile {
  readonly name: string;
  readonly records: readonly ParsedRecord[];
  /** Why it was begun, from its first record. */
  readonly reason: unknown;
}

/** What was found to be one unbroken chain. */
export interface VerifiedChain {
  /** The oldest first. */
  readonly files: readonly ParsedFile[];
  readonly records: readonly ParsedRecord[];
  /** Correlation ids of the records of signatures, in order. */
  readonly ids: readonly (string | null)[];
  readonly checkpoints: readonly ParsedRecord[];
}

const NO_RECORDS = /\.(lock|torn|usage|tmp)$|\.set-aside-/;
const MOST_UNCOVERED = 1000;

/**
 * Verifies that the files of a folder are one chain, from record 1 on or behind `head`, with nothing but Node's own cryptography and an independent RFC 8785 canonicalizer.
 * Fails the test where they are not.
 */
export function verifyChain(folder: string, head: Pick<ParsedRecord, 'seq' | 'hash'> | null = null): VerifiedChain {
  const files = readdirSync(folder)
    .filter((name) => !NO_RECORDS.test(name))
    .map((name) => parseFile(folder, name))
    .filter((file) => file !== null)
    .toSorted((left, right) => firstSeq(left) - firstSeq(right));
  const records = files.flatMap((file) => file.records);
  verifyLinks(records, head);
  verifyCheckpoints(files);
  return {
    files,
    records,
    ids: records.filter(({ event }) => event === 'sign').map(({ correlationId }) => correlationId),
    checkpoints: records.filter(({ event }) => event === 'checkpoint'),
  };
}

/** The records of a file; null when it does not begin as files of a chain do. Where one should have, its records are missing from the chain. */
function parseFile(folder: string, name: string): ParsedFile | null {
  const text = readFileSync(join(folder, name), 'utf8');
  if (!/^[^\n]*"event":"segment"/.test(text)) return null;
  expect(text.endsWith('\n'), `${name} ends with a whole line`).to.equal(true);
  const records = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as ParsedRecord);
  const segments = records.flatMap(({ event }, index) => (event === 'segment' ? [index] : []));
  expect(segments, `${name} begins with its only segment record`).to.deep.equal([0]);
  return { name, records, reason: records[0]?.data?.['reason'] };
}

function firstSeq({ records }: ParsedFile): number {
  return records[0]?.seq ?? 0;
}

function verifyLinks(records: readonly ParsedRecord[], head: Pick<ParsedRecord, 'seq' | 'hash'> | null): void {
  let before = { seq: head?.seq ?? 0, hash: head?.hash ?? null };
  for (const record of records) {
    const { hash: stated, ...content } = record;
    expect(record.seq).to.equal(before.seq + 1);
    expect(record.prevHash, `prevHash of record ${record.seq}`).to.equal(before.hash);
    const computed = `sha256:${hash('sha256', String(canonicalize(content)), 'hex')}`;
    expect(stated, `hash of record ${record.seq}`).to.equal(computed);
    before = record;
  }
}

function verifyCheckpoints(files: readonly ParsedFile[]): void {
  let uncovered = 0;
  for (const { records } of files) {
    const publicKey = Buffer.from(String(records[0]?.data?.['auditPublicKey']), 'base64');
    for (const record of records) {
      if (record.event === 'checkpoint') {
        verifyNote(record, publicKey);
        uncovered = 0;
        continue;
      }
      uncovered += 1;
      expect(uncovered, `records without a checkpoint up to record ${record.seq}`).to.be.at.most(MOST_UNCOVERED);
    }
  }
}

/** As https://c2sp.org/signed-note describes it. */
function verifyNote(record: ParsedRecord, publicKey: Buffer): void {
  const [text = '', signatures = ''] = String(record.data?.['note']).split(/(?<=\n)\n/);
  const [origin, size, digest, time] = text.split('\n');
  const [dash, name, encoded = ''] = signatures.trimEnd().split(' ');
  expect([dash, name, origin]).to.deep.equal(['—', origin, `signing-service-audit/${record.instanceId}`]);
  expect(Number(size)).to.equal(record.seq - 1);
  expect(`sha256:${Buffer.from(String(digest), 'base64').toString('hex')}`).to.equal(record.prevHash);
  expect(time).to.equal(record.time);
  const signed = Buffer.from(encoded, 'base64');
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${name}\n\u0001`), publicKey]), 'buffer').subarray(0, 4);
  expect(signed.subarray(0, 4).equals(keyId)).to.equal(true);
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  });
  expect(verify(null, Buffer.from(text), key, signed.subarray(4)), `signature of record ${record.seq}`).to.equal(true);
}
