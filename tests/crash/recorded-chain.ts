import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

/** The checked fields of an audit record. */
export interface Recorded {
  readonly seq: number;
  readonly time: string;
  readonly event: string;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly platformId: string | null;
  readonly accountId: string | null;
  readonly algorithm: string | null;
  readonly signatureDigest: string | null;
  readonly data: { readonly reason?: string } | null;
  readonly instanceId: string;
  readonly prevHash: string | null;
  readonly sig?: string;
}

/** An audit file and its records. */
interface RecordedFile {
  readonly name: string;
  readonly lines: readonly string[];
  readonly records: readonly Recorded[];
}

/** All files of a verified chain. */
export interface RecordedChain {
  readonly files: readonly RecordedFile[];
  readonly records: readonly Recorded[];
  /** Every line, in chain order. */
  readonly lines: readonly string[];
}

/** Name of an audit file, rotated or not; not of its companions. */
const AUDIT_FILE = /^audit\.(?:\d+-\d+\.jsonl|jsonl(?:\.\d+)?)$/;

/**
 * Verifies the audit files of a folder with node:crypto alone: whole lines without gap or
 * repetition, links, segment records, and signatures of the key in `<folder>/audit.key.pub`.
 */
export function verifiedChain(folder: string, publicKeyFile: string): RecordedChain {
  const publicKey = createPublicKey(readFileSync(publicKeyFile));
  const files = readdirSync(folder)
    .filter((name) => AUDIT_FILE.test(name))
    .map((name) => readFile(folder, name))
    .toSorted((left, right) => (left.records[0]?.seq ?? 0) - (right.records[0]?.seq ?? 0));
  let last: { readonly seq: number; readonly hash: string | null } = { seq: 0, hash: null };
  for (const { name, lines, records } of files) {
    for (const [index, record] of records.entries()) {
      const where = `${name}, line ${index + 1}`;
      const line = lines[index] ?? '';
      if (record.seq !== last.seq + 1) expect.fail(`${where}: record ${record.seq} behind ${last.seq}`);
      if (record.prevHash !== last.hash) expect.fail(`${where}: does not follow record ${last.seq}`);
      expect(record.event === 'segment', `${where}: segment record`).to.equal(index === 0);
      if (record.sig !== undefined) verifySignature(line, record, publicKey, where);
      last = { seq: record.seq, hash: sha256(line) };
    }
  }
  return { files, records: files.flatMap(({ records }) => records), lines: files.flatMap(({ lines }) => lines) };
}

/** Asserts that each received signature has exactly one success record. */
export function expectOnRecord(signatures: readonly string[], { records }: RecordedChain): void {
  const digests = records.flatMap(({ signatureDigest }) => signatureDigest ?? []);
  const recorded = new Set(digests);
  expect(recorded.size, 'signatures that are on record twice').to.equal(digests.length);
  expect(new Set(signatures).size, 'signatures that were received twice').to.equal(signatures.length);
  const missing = signatures.filter((signature) => !recorded.has(sha256(signature)));
  expect(missing, `of ${signatures.length} signatures received are on no record`).to.deep.equal([]);
}

/** `sha256:<64 hex>` of a text's UTF-8. */
export function sha256(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}

function readFile(folder: string, name: string): RecordedFile {
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text, name).to.match(/\n$/);
  const lines = text.slice(0, -1).split('\n');
  return { name, lines, records: lines.map((line) => JSON.parse(line) as Recorded) };
}

/** An Ed25519 signature over instance, number and hash of the line up to the signature. */
function verifySignature(line: string, { instanceId, seq, sig = '' }: Recorded, publicKey: KeyObject, where: string) {
  const [covered = '', rest] = line.split(',"sig":');
  expect(rest, where).to.equal(`"${sig}"}`);
  const text = `signing-service audit record v2\n${instanceId}\n${seq}\n${sha256(covered)}\n`;
  const isSigned = verify(null, Buffer.from(text), publicKey, Buffer.from(sig, 'base64'));
  expect(isSigned, `${where}: signature`).to.equal(true);
}
