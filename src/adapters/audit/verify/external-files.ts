import { type AuditCheckpoint, RECORD_FIELDS } from '../../../domain/model/audit-entry.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/model/json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { UnsuitableFileError, withRegularFile } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { decodePublicKeyPem } from '../../node/ed25519-public-key.ts';
import { readRecord } from '../record/read-record.ts';
import { parsePublicKey } from '../record/segment.ts';
import { toReadError } from './failures.ts';

/** A checkpoint from elsewhere. */
export interface ExternalCheckpoint extends AuditCheckpoint {
  /** Printable path of its file. */
  readonly file: string;
}

/** Three months of checkpoints, one a minute. */
const MAX_CHECKPOINT_BYTES = 48 * 1024 * 1024;
const MAX_DEPTH = 16;
const FROM_A_LOG =
  ': extract the latest checkpoints, as from a log: grep \'"Audit checkpoint."\' service.log | tail -n 1000';

const { instanceId, seq, time, prevHash: hash, sig } = RECORD_FIELDS;
const MEMBERS = Object.entries({ instanceId, seq, time, hash, sig });

/**
 * Reads checkpoints: JSON (one document, or one per line) with `instanceId`, `seq`, `time`, `hash`
 * and `sig` at any depth, or signed lines of an audit file. Does not verify signatures.
 * @throws OperatorError when the file cannot be read or holds none
 */
export async function readExternalCheckpoints(path: string): Promise<readonly ExternalCheckpoint[]> {
  const text = await readSmallText('checkpoint file', path, MAX_CHECKPOINT_BYTES, FROM_A_LOG);
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

function isCheckpoint(value: JsonValue): value is AuditCheckpoint & JsonObject {
  return isJsonObject(value) && MEMBERS.every(([name, field]) => field.accepts(value[name] ?? null));
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const MAX_KEY_BYTES = 4096;
/** Only one block: rejects a file with a private key. */
const PEM = /^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/;

/**
 * Reads an Ed25519 public key (RFC 8032, 32 bytes): base64, or a file with base64 or
 * SubjectPublicKeyInfo PEM (RFC 8410 §4).
 * @throws OperatorError when it is neither
 */
export async function readTrustedKey(input: string): Promise<Buffer> {
  const key = parsePublicKey(input) ?? (await readKeyFile(input));
  if (key !== null) return key;
  throw new OperatorError(
    `The public key ${printable(input)} is neither a file with an Ed25519 public key nor the base64 of its 32 bytes: use the file that \`init\` wrote beside the audit key (audit.key.pub).`,
  );
}

/** Null for something else or no file. */
async function readKeyFile(path: string): Promise<Buffer | null> {
  try {
    const text = (await readSmallText('public key', path, MAX_KEY_BYTES)).trim();
    return parsePublicKey(text) ?? (PEM.test(text) ? decodePublicKeyPem(text) : null);
  } catch (error) {
    if (error instanceof OperatorError && systemErrorCode(error.cause) === 'ENOENT') return null;
    throw error;
  }
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
    if (!(error instanceof UnsuitableFileError) || error.code !== 'EFBIG') throw toReadError(what, path, error);
    throw new OperatorError(`The ${what} ${printable(path)} is longer than ${limit} bytes${advice}.`, { cause: error });
  }
}
