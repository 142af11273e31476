import { readCheckpoint, type SignedCheckpoint } from '../../../audit-trail/checkpoint-note.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import { AuditInputError } from '../../../ports/audit-verifier.ts';
import { shownPath } from './shown-path.ts';
import { readSmallText } from './small-text.ts';

/** A checkpoint that was kept elsewhere. */
export interface OutsideCheckpoint extends SignedCheckpoint {
  /** Path of its file as it is shown. */
  readonly file: string;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_DEPTH = 16;
const FROM_A_LOG =
  ': of a log, take the line with the newest one, grep \'"Audit checkpoint."\' service.log | tail -n 1';

/**
 * The checkpoints in a file: a signed note, or JSON (one document, or one a line) that holds notes as texts at any place, as the lines of the service log and of the audit
 * file do. Their signatures are not verified by this.
 * @throws AuditInputError when it can't be read or holds none
 */
export async function readOutsideCheckpoints(path: string): Promise<readonly OutsideCheckpoint[]> {
  const text = (await readSmallText('checkpoint file', path, MAX_FILE_BYTES, FROM_A_LOG)).replaceAll('\r\n', '\n');
  const found = new Map<string, OutsideCheckpoint>();
  for (const note of [`${text.trim()}\n`, ...textsIn(text)]) {
    const checkpoint = readCheckpoint(note);
    if (checkpoint !== null) found.set(note, { ...checkpoint, file: shownPath(path) });
  }
  if (found.size > 0) return [...found.values()];
  throw new AuditInputError(
    `The checkpoint file ${shownPath(path)} holds no checkpoint: it has to be the note as the service gave it out, or a line of JSON in which it stands.`,
  );
}

/** Every text in a JSON document, or in those of its lines that are JSON. */
function textsIn(text: string): readonly string[] {
  const whole = parsed(text);
  const documents = whole === undefined ? text.split('\n').map(parsed) : [whole];
  return documents.flatMap((document) => textsOf(document, MAX_DEPTH));
}

function textsOf(value: JsonValue | undefined, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((member) => textsOf(member, depth - 1));
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
