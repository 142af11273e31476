import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** A parsed line of the audit file. */
export interface ParsedRecord {
  readonly v: number;
  readonly seq: number;
  readonly time: string;
  readonly event: string;
  readonly outcome: string;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly algorithm: string | null;
  readonly signatureDigest: string | null;
  readonly correlationId: string | null;
  readonly data: { readonly [name: string]: unknown } | null;
  readonly prevHash: string | null;
  readonly instanceId: string;
  readonly sig?: string;
}

/** One file of a chain. */
export interface ParsedFile {
  readonly name: string;
  /** Without newlines. */
  readonly lines: readonly string[];
  readonly records: readonly ParsedRecord[];
  /** From its first record. */
  readonly reason: unknown;
}

/** Number and SHA-256 of a record; 0 and null before the first. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string | null;
}

/** A verified chain. */
export interface VerifiedChain {
  /** Oldest first. */
  readonly files: readonly ParsedFile[];
  readonly records: readonly ParsedRecord[];
  /** Of all files, in order. */
  readonly lines: readonly string[];
  readonly head: ChainEnd;
  /** Correlation ids of signature records, in order. */
  readonly ids: readonly (string | null)[];
  readonly signed: readonly ParsedRecord[];
}

const START: ChainEnd = { seq: 0, hash: null };
/** Segments, and saved ones; not their second name. */
const SEGMENT = /\.\d{12}(_\d+)?(\.jsonl)?(\.recovered)?$/;
const MAX_IN_GROUP = 500;

interface VerifyOptions {
  /** The record before the first. */
  readonly head?: ChainEnd;
  /** Of all signatures; by default the one that each file names. */
  readonly publicKey?: KeyObject;
  /** After a kill: unsigned records may be at the end, which nobody was told of. */
  readonly isKilled?: boolean;
}

/**
 * Verifies with Node's cryptography alone that a folder holds one chain, from record 1 or behind
 * `head`. Fails the test otherwise.
 */
export function verifyChain(folder: string, { head = START, publicKey, isKilled }: VerifyOptions = {}): VerifiedChain {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && SEGMENT.test(entry.name))
    .map(({ name }) => parseFile(folder, name))
    .filter((file) => file !== null)
    .toSorted((left, right) => firstSeq(left) - firstSeq(right));
  const records = files.flatMap((file) => file.records);
  const end = verifyLinks(files, head);
  for (const file of files) verifySignatures(file, publicKey ?? publicKeyOf(file), isKilled && file === files.at(-1));
  return {
    files,
    records,
    lines: files.flatMap(({ lines }) => lines),
    head: end,
    ids: records.filter(({ event }) => event === 'sign').map(({ correlationId }) => correlationId),
    signed: records.filter(({ sig }) => sig !== undefined),
  };
}

/**
 * The records of a file; null when it does not begin like one of a chain, whose records are then
 * missing.
 */
function parseFile(folder: string, name: string): ParsedFile | null {
  const text = readFileSync(join(folder, name), 'utf8');
  if (!/^[^\n]*"event":"segment"/.test(text)) return null;
  expect(text.endsWith('\n'), `${name} ends with a whole line`).to.equal(true);
  const lines = text.slice(0, -1).split('\n');
  const records = lines.map((line) => JSON.parse(line) as ParsedRecord);
  const segments = records.flatMap(({ event }, index) => (event === 'segment' ? [index] : []));
  expect(segments, `${name} begins with its only segment record`).to.deep.equal([0]);
  return { name, lines, records, reason: records[0]?.data?.['reason'] };
}

function firstSeq({ records }: ParsedFile): number {
  return records[0]?.seq ?? 0;
}

function verifyLinks(files: readonly ParsedFile[], head: ChainEnd): ChainEnd {
  let before = head;
  for (const { lines, records } of files) {
    for (const [index, { v, seq, prevHash }] of records.entries()) {
      expect({ v, seq }).to.deep.equal({ v: 2, seq: before.seq + 1 });
      expect(prevHash, `prevHash of record ${seq}`).to.equal(before.hash);
      before = { seq, hash: sha256(lines[index] ?? '') };
    }
  }
  return before;
}

function publicKeyOf({ records }: ParsedFile): KeyObject {
  const x = Buffer.from(String(records[0]?.data?.['auditPublicKey']), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Each group, and the file, ends with a signed record. */
function verifySignatures({ name, lines, records }: ParsedFile, key: KeyObject, mayEndUnsigned = false): void {
  let unsigned = 0;
  for (const [index, { instanceId, seq, sig }] of records.entries()) {
    unsigned += 1;
    expect(unsigned, `records without a signature up to record ${seq}`).to.be.at.most(MAX_IN_GROUP);
    if (sig === undefined) continue;
    unsigned = 0;
    const [covered = '', rest] = String(lines[index]).split(',"sig":');
    expect(rest).to.equal(`"${sig}"}`);
    const text = `signing-service audit record v2\n${instanceId}\n${seq}\n${sha256(covered)}\n`;
    const isSigned = verify(null, Buffer.from(text), key, Buffer.from(sig, 'base64'));
    expect(isSigned, `signature of record ${seq}`).to.equal(true);
  }
  if (!mayEndUnsigned) expect(unsigned, `records behind the last signed one of ${name}`).to.equal(0);
}

/** `sha256:<64 hex>` of a text's UTF-8. */
export function sha256(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}
