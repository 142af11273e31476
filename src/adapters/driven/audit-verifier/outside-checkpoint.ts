import { PATTERNS } from '../../../audit-trail/audit-record.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import type { Checkpoint } from '../../../audit-trail/signed-record.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import { shownPath } from './shown-path.ts';
import { readSmallText } from './small-text.ts';

/** A checkpoint that was kept elsewhere. */
export interface OutsideCheckpoint extends Checkpoint {
  /** Path of its file as it is shown. */
  readonly file: string;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_DEPTH = 16;
const FROM_A_LOG =
  ': of a log, take the line with the newest one, grep \'"Audit checkpoint."\' service.log | tail -n 1';

const MEMBERS = {
  instanceId: new RegExp(`^${PATTERNS.id}$`),
  time: new RegExp(`^${PATTERNS.time}$`),
  hash: new RegExp(`^${PATTERNS.digest}$`),
  sig: new RegExp(`^${PATTERNS.sig}$`),
};

/**
 * The checkpoints in a file: JSON (one document, or one a line) that holds objects with
 * `instanceId`, `seq`, `time`, `hash` and `sig` at any place, as the lines of the service log do;
 * or signed lines of an audit file. Their signatures are not verified by this.
 * @throws OperatorError when it can't be read or holds none
 */
export async function readOutsideCheckpoints(path: string): Promise<readonly OutsideCheckpoint[]> {
  const text = await readSmallText('checkpoint file', path, MAX_FILE_BYTES, FROM_A_LOG);
  const found = new Map<string, OutsideCheckpoint>();
  for (const checkpoint of checkpointsIn(text)) found.set(checkpoint.sig, { ...checkpoint, file: shownPath(path) });
  if (found.size > 0) return [...found.values()];
  throw new OperatorError(
    `The checkpoint file ${shownPath(path)} holds no checkpoint: it has to hold JSON with instanceId, seq, time, hash and sig, as the service log has it, or a signed line of an audit file.`,
  );
}

function checkpointsIn(text: string): readonly Checkpoint[] {
  const whole = parsed(text);
  const lines = text.split(/\r?\n/);
  const documents = whole === undefined ? lines.map(parsed) : [whole];
  return [...lines.flatMap(signedLine), ...documents.flatMap((document) => checkpointsOf(document, MAX_DEPTH))];
}

function signedLine(line: string): readonly Checkpoint[] {
  const record = readRecord(line);
  return 'fault' in record || record.checkpoint === null ? [] : [record.checkpoint];
}

function checkpointsOf(value: JsonValue | undefined, depth: number): readonly Checkpoint[] {
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  const inside = Object.values(value).flatMap((member) => checkpointsOf(member, depth - 1));
  return isCheckpoint(value) ? [value, ...inside] : inside;
}

function isCheckpoint(value: object): value is Checkpoint {
  const members = value as { readonly [name: string]: unknown };
  return (
    Number.isSafeInteger(members['seq']) &&
    Object.entries(MEMBERS).every(([name, pattern]) => pattern.test(String(members[name])))
  );
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
