import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import type { AuditFailure, ReachedCheckpoint } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { UnsuitableFileError, withRegularFile } from '../../files/open-regular-file.ts';
import { decodePublicKeyPem, toPublicKeyObject } from '../../node/ed25519-public-key.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { anchored, PATTERNS } from '../record/record-fields.ts';
import { parsePublicKey } from '../record/segment.ts';
import { isSignedBy } from '../record/signed-record.ts';
import type { ChainReport } from './chain-report.ts';
import { isMissing, toReadError } from './read-error.ts';

/** A record whose hash differs from a checkpoint's. */
interface Mismatch {
  readonly chain: ChainReport;
  readonly file: string;
  readonly line: number;
}

/** Checkpoints of one file that a chain matches. */
interface Match {
  newest: ExternalCheckpoint;
  count: number;
  earlier: number;
}

/** Checkpoints from elsewhere, and which of them the files match. */
export class ExpectedCheckpoints {
  readonly #checkpoints: readonly ExternalCheckpoint[];
  readonly #bySeq = new Map<number, ExternalCheckpoint[]>();
  readonly #reached = new Set<ExternalCheckpoint>();
  /** With the signature of a verified record, so not verified again. */
  readonly #proven = new Set<ExternalCheckpoint>();
  /** Which key (32 bytes) signed a checkpoint that is not proven. */
  readonly #signers = new Map<ExternalCheckpoint, Uint8Array>();
  readonly #mismatches = new Map<ExternalCheckpoint, readonly Mismatch[]>();
  readonly #matches = new Map<ChainReport, Map<string, Match>>();

  constructor(checkpoints: readonly ExternalCheckpoint[]) {
    this.#checkpoints = checkpoints;
    for (const checkpoint of checkpoints) {
      const same = this.#bySeq.get(checkpoint.seq);
      if (same === undefined) this.#bySeq.set(checkpoint.seq, [checkpoint]);
      else same.push(checkpoint);
    }
  }

  get reached(): readonly ReachedCheckpoint[] {
    return [...this.#matches.values()].flatMap((files) =>
      [...files.values()].map(({ newest: { file, instanceId, seq, time }, count, earlier }) => ({
        ...{ file, instanceId, seq, time },
        matching: count,
        earlier,
      })),
    );
  }

  /** Compares a valid record. */
  see({ seq, checkpoint: own }: ReadRecord, chain: ChainReport, file: string, line: number): void {
    for (const checkpoint of this.#bySeq.get(seq) ?? []) this.#compare(checkpoint, own, { chain, file, line });
  }

  /** The first checkpoint that none of the keys (32 bytes each) signed. */
  findForgery(keys: readonly Uint8Array[]): AuditFailure | null {
    const objects = keys.map((key) => ({ key, object: toPublicKeyObject(key) }));
    const forged = this.#checkpoints.find((one) => {
      if (this.#proven.has(one)) return false;
      const signer = objects.find(({ object }) => object !== null && isSignedBy(one, object));
      if (signer !== undefined) this.#signers.set(one, signer.key);
      return signer === undefined;
    });
    if (forged === undefined) return null;
    const { file, seq } = forged;
    return {
      file,
      line: null,
      message: `contains a checkpoint of record ${seq} that no key of these files signed: it is forged or belongs to other files`,
    };
  }

  /**
   * The first checkpoint that no chain matches, after all chains are read and no checkpoint is
   * forged. A later match of the same file implies one that precedes its chain: the chain fixes
   * every earlier record.
   */
  findMissing(chains: readonly ChainReport[]): AuditFailure | null {
    for (const checkpoint of this.#checkpoints) {
      if (this.#reached.has(checkpoint)) continue;
      const [chain] = rankChains(checkpoint, this.#signers.get(checkpoint), chains);
      if (chain === undefined) return createUnknownIssue(checkpoint);
      const match = checkpoint.seq < chain.firstSeq ? this.#matches.get(chain)?.get(checkpoint.file) : undefined;
      if (match === undefined) return this.#describeIssue(checkpoint, chain);
      match.earlier += 1;
    }
    return null;
  }

  #compare(checkpoint: ExternalCheckpoint, own: AuditCheckpoint | null, at: Mismatch): void {
    if (own === null || checkpoint.hash !== own.hash) {
      this.#mismatches.set(checkpoint, [...(this.#mismatches.get(checkpoint) ?? []), at]);
      return;
    }
    this.#reached.add(checkpoint);
    if (checkpoint.sig === own.sig && checkpoint.instanceId === own.instanceId) this.#proven.add(checkpoint);
    at.chain.cover(checkpoint.seq);
    this.#countMatch(checkpoint, at.chain);
  }

  /** Records come in order, so the last one is the newest. */
  #countMatch(checkpoint: ExternalCheckpoint, chain: ChainReport): void {
    const files = this.#matches.get(chain) ?? new Map<string, Match>();
    const match = files.get(checkpoint.file);
    if (match === undefined) files.set(checkpoint.file, { newest: checkpoint, count: 1, earlier: 0 });
    else Object.assign(match, { newest: checkpoint, count: match.count + 1 });
    this.#matches.set(chain, files);
  }

  #describeIssue(checkpoint: ExternalCheckpoint, chain: ChainReport): AuditFailure {
    const { seq, time, file } = checkpoint;
    const covers = `the checkpoint of ${time} in ${file} covers`;
    const end = chain.lastFile;
    const cut = seq - chain.lastSeq;
    if (cut > 0) {
      const message = `ends with record ${chain.lastSeq}, but ${covers} record ${seq}: ${cut === 1 ? '1 record was' : `${cut} records were`} cut off`;
      return { file: end.file, line: end.lines, message };
    }
    const mismatch = this.#mismatches.get(checkpoint)?.find((at) => at.chain === chain);
    if (mismatch !== undefined) {
      const message = `is record ${seq}, but its hash differs from that in the checkpoint of ${time} in ${file}: the file was rewritten`;
      return { file: mismatch.file, line: mismatch.line, message };
    }
    const message = `begins with record ${chain.firstSeq}, but ${covers} record ${seq}: include the earlier files`;
    return { file: chain.firstFile, line: 1, message };
  }
}

/** Chains that may have the checkpoint, likeliest first: by instance, key and start. */
function rankChains(
  checkpoint: ExternalCheckpoint,
  signer: Uint8Array | undefined,
  chains: readonly ChainReport[],
): readonly ChainReport[] {
  const likelihood = (chain: ChainReport): number => {
    const isOfInstance = chain.hasInstance(checkpoint.instanceId);
    const isOfKey = signer !== undefined && chain.hasKey(signer);
    if (!isOfInstance && !isOfKey) return 0;
    return 1 + Number(chain.firstTime <= checkpoint.time) + 2 * Number(isOfInstance) + 2 * Number(isOfKey);
  };
  return chains
    .filter((chain) => likelihood(chain) > 0)
    .toSorted((left, right) => likelihood(right) - likelihood(left) || (left.firstTime < right.firstTime ? 1 : -1));
}

function createUnknownIssue({ file, seq, instanceId }: ExternalCheckpoint): AuditFailure {
  const message = `contains a checkpoint of record ${seq} of instance ${instanceId}, to which none of the given files belongs`;
  return { file, line: null, message };
}

/**
 * Reads UTF-8 text without blocking on a pipe.
 * @param what kind of file, for errors
 * @param advice for a longer file, after a colon
 * @throws OperatorError when it cannot be read, is not a regular file or is longer than `limit`
 * bytes
 */
async function readSmallText(what: string, path: string, limit: number, advice = ''): Promise<string> {
  try {
    return await withRegularFile(path, { maxBytes: limit }, ({ handle }) => handle.readFile('utf8'));
  } catch (error) {
    if (!(error instanceof UnsuitableFileError)) throw toReadError(what, path, error);
    const reason = error.code === 'EFBIG' ? `is longer than ${limit} bytes${advice}` : 'is not a regular file';
    throw new OperatorError(`The ${what} ${printable(path)} ${reason}.`, { cause: error });
  }
}

/** A checkpoint from elsewhere. */
export interface ExternalCheckpoint extends AuditCheckpoint {
  /** Printable path of its file. */
  readonly file: string;
}

/** Three months of checkpoints, one a minute. */
const MAX_FILE_BYTES = 48 * 1024 * 1024;
const MAX_DEPTH = 16;
const FROM_A_LOG =
  ': extract the latest checkpoints, as from a log: grep \'"Audit checkpoint."\' service.log | tail -n 1000';

const MEMBERS = {
  instanceId: anchored(PATTERNS.id),
  time: anchored(PATTERNS.time),
  hash: anchored(PATTERNS.digest),
  sig: anchored(PATTERNS.sig),
};

/**
 * Reads checkpoints: JSON (one document, or one per line) with `instanceId`, `seq`, `time`, `hash`
 * and `sig` at any depth, or signed lines of an audit file. Does not verify signatures.
 * @throws OperatorError when the file cannot be read or holds none
 */
export async function readExternalCheckpoints(path: string): Promise<readonly ExternalCheckpoint[]> {
  const text = await readSmallText('checkpoint file', path, MAX_FILE_BYTES, FROM_A_LOG);
  const found = new Map<string, ExternalCheckpoint>();
  for (const checkpoint of parseCheckpoints(text)) found.set(checkpoint.sig, { ...checkpoint, file: printable(path) });
  if (found.size > 0) return [...found.values()];
  throw new OperatorError(
    `The checkpoint file ${printable(path)} contains no checkpoint: it must be JSON with instanceId, seq, time, hash and sig, as in the service log, or a signed line of an audit file.`,
  );
}

function parseCheckpoints(text: string): readonly AuditCheckpoint[] {
  const whole = parseJson(text);
  const lines = text.split(/\r?\n/);
  const documents = whole === undefined ? lines.map(parseJson) : [whole];
  return [...lines.flatMap(signedLine), ...documents.flatMap((document) => findCheckpoints(document, MAX_DEPTH))];
}

function signedLine(line: string): readonly AuditCheckpoint[] {
  const record = readRecord(line);
  return 'issue' in record || record.checkpoint === null ? [] : [record.checkpoint];
}

function findCheckpoints(value: JsonValue | undefined, depth: number): readonly AuditCheckpoint[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  const inside = Object.values(value).flatMap((member) => findCheckpoints(member, depth - 1));
  return isCheckpoint(value) ? [value, ...inside] : inside;
}

function isCheckpoint(value: object): value is AuditCheckpoint {
  const members = value as { readonly [name: string]: unknown };
  return (
    Number.isSafeInteger(members['seq']) &&
    Object.entries(MEMBERS).every(([name, pattern]) => pattern.test(String(members[name])))
  );
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const MAX_KEY_FILE_BYTES = 4096;
/** Only one block: rejects a file with a private key. */
const PEM = /^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/;

/**
 * Reads an Ed25519 public key (RFC 8032, 32 bytes): base64, or a file with base64 or
 * SubjectPublicKeyInfo PEM (RFC 8410 §4).
 * @throws OperatorError when it is neither
 */
export async function readTrustedKey(inputs: string): Promise<Buffer> {
  const direct = parsePublicKey(inputs);
  if (direct !== null) return direct;
  const text = (await readKeyFile(inputs)).trim();
  const key = parsePublicKey(text) ?? (PEM.test(text) ? decodePublicKeyPem(text) : null);
  if (key !== null) return key;
  throw new OperatorError(
    `The public key ${printable(inputs)} is not an Ed25519 public key: use the file that \`init\` wrote beside the audit key (audit.key.pub), or the base64 of its 32 bytes.`,
  );
}

async function readKeyFile(inputs: string): Promise<string> {
  try {
    return await readSmallText('public key', inputs, MAX_KEY_FILE_BYTES);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new OperatorError(
      `The public key ${printable(inputs)} is neither a file nor the base64 of a 32-byte key: check the path or the key.`,
      { cause: error },
    );
  }
}
