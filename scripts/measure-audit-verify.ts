/**
 * Measures `audit verify`: writes a chain of audit records into temporary files, verifies it and counts its usage anew in this process, and prints speed and memory.
 *
 *   npm run measure:audit-verify             1 GB
 *   npm run measure:audit-verify -- 200      200 MB
 */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainHead, EMPTY_CHAIN, type RecordEntry } from '../src/audit-trail/audit-record.ts';
import { signCheckpoint } from '../src/audit-trail/checkpoint-note.ts';
import { chainRecord, prepareRecord } from '../src/audit-trail/prepared-record.ts';
import { segmentData } from '../src/audit-trail/segment.ts';
import { verifyAudit } from '../src/composition/verify-audit.ts';
import { NO_REQUEST } from '../src/domain/model/audit-entry.ts';

const DEFAULT_MB = 1000;
const BLOCK_BYTES = 1_000_000;
/** Each account is used for so many records and then no more, so that what is kept of each comes from another place of the file. */
const RECORDS_PER_ACCOUNT = 12;
const RECORDS_PER_SECOND = 5000;
/** Records in a group, which a checkpoint ends. */
const GROUP_RECORDS = 30;
const START = Date.parse('2026-11-20T08:49:00.000Z');

/** Makes one chain, as a service that signs all the time writes it. */
class ChainMaker {
  readonly #keys = generateKeyPairSync('ed25519');
  #unsigned = 0;
  #head: ChainHead = EMPTY_CHAIN;

  get publicKey(): Buffer {
    return Buffer.from(this.#keys.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  }

  segment(): string {
    const data = segmentData('first', this.publicKey);
    return this.#line({ ...this.#entry(), ...OWN, event: 'segment', data });
  }

  next(): string {
    const record = this.#line(this.#entry());
    return this.#unsigned < GROUP_RECORDS ? record : record + this.#checkpoint();
  }

  #checkpoint(): string {
    const { seq, hash } = this.#head;
    const { time, instanceId } = this.#entry();
    const key = {
      publicKey: this.publicKey,
      sign: (message: Uint8Array) => sign(null, message, this.#keys.privateKey),
    };
    const note = signCheckpoint({ instanceId, seq, hash: hash ?? '', time }, key);
    return this.#line({ ...this.#entry(), ...OWN, event: 'checkpoint', data: { note } });
  }

  #line(entry: RecordEntry): string {
    const { line, head } = chainRecord(prepareRecord(entry), this.#head);
    this.#head = head;
    this.#unsigned = entry.event === 'checkpoint' ? 0 : this.#unsigned + 1;
    return `${line}\n`;
  }

  #entry(): RecordEntry {
    const { seq } = this.#head;
    const failed = seq % 50 === 0;
    return {
      time: new Date(START + (seq * 1000) / RECORDS_PER_SECOND).toISOString(),
      event: 'sign',
      outcome: failed ? 'refused' : 'success',
      errorCode: failed ? 'ACCOUNT_DISABLED' : null,
      platformId: 'my-exchange',
      accountId: `trading-account-${Math.floor(seq / RECORDS_PER_ACCOUNT)}`,
      algorithm: 'ed25519',
      payloadDigest: `sha256:${'0a'.repeat(32)}`,
      signatureDigest: failed ? null : `sha256:${'0b'.repeat(32)}`,
      data: {
        instruction: { amount: '[masked]', market: 'SOL-USDC', price: '[masked]', side: 'buy', type: 'limit' },
        nonce: START + seq,
      },
      correlationId: randomUUID(),
      batchRequestId: null,
      principal: null,
      remoteAddress: '10.0.0.7',
      durationMs: (seq % 4000) / 1000,
      instanceId: 'signer-1',
    };
  }
}

/** Of records that the file itself needs. */
const OWN = { ...NO_REQUEST, outcome: 'success' } as const;

async function writeChain(maker: ChainMaker, file: FileHandle, bytes: number): Promise<number> {
  let written = 0;
  let block = maker.segment();
  while (written + block.length < bytes) {
    block += maker.next();
    if (block.length < BLOCK_BYTES) continue;
    written += (await file.write(block)).bytesWritten;
    block = '';
  }
  return written + (await file.write(block)).bytesWritten;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

async function measure(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  const maker = new ChainMaker();
  const size = await writeChain(maker, file, bytes);
  await file.close();
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  const request = {
    files: [path],
    publicKeys: [maker.publicKey.toString('base64')],
    checkpoints: [],
    usage: true,
    onProgress: null,
  };
  const { verdict, usage } = await verifyAudit({}, request);
  const [seconds, cpu] = [(performance.now() - startedAt) / 1000, process.cpuUsage(cpuBefore)];
  clearInterval(sampler);
  if (verdict.fault !== null) throw new Error(`The chain was not verified: ${verdict.fault.message}`);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  const records = verdict.chains[0]?.records ?? 0;
  process.stdout.write(
    `${megabytes(size)} in ${records} records (${Math.round(size / records)} bytes each), ${usage?.accounts.length} accounts\n` +
      `verified in ${seconds.toFixed(1)} s: ${(size / 1e6 / seconds).toFixed(1)} MB/s; per second of processor time: ${(size / 1e6 / cpuSeconds).toFixed(1)} MB\n` +
      `resident memory: ${megabytes(before)} before, ${megabytes(peak)} at most\n`,
  );
}

const wanted = Number(process.argv[2] ?? DEFAULT_MB);
if (!(wanted >= 1)) throw new RangeError('Give the size in megabytes: a number from 1.');
const folder = mkdtempSync(join(tmpdir(), 'measure-audit-verify-'));
try {
  await measure(join(folder, 'audit.jsonl'), wanted * 1e6);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
