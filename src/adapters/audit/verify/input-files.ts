import { basename, dirname, join, resolve } from 'node:path';
import type { AuditNote, LeftOutFile, LeftOutReason } from '../../../domain/model/audit-verdict.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { readFileIdentity } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { NOT_A_RECORD, type ReadRecord, readRecord } from '../record/read-record.ts';
import {
  gzipPath,
  isPacked,
  listSegments,
  listSegmentsOf,
  parseSegmentName,
  type Segment,
} from '../segments/segment-names.ts';
import { openSegment, SegmentReader } from '../segments/segment-reader.ts';
import { Fault, toReadError } from './failures.ts';
import { settledLines } from './settled-lines.ts';

/** A file that begins with a segment record. It was closed: there may be more than can be open. */
export interface InputFile {
  readonly path: string;
  /** Printable path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** By content and name; null for a plain file with another name than a segment's. */
  readonly form: Segment['form'] | null;
  readonly first: ReadRecord;
}

/**
 * Of files that begin alike, the first is read: what the service saved, before what has its place.
 */
const FORMS: readonly InputFile['form'][] = ['recovered', 'plain', null, 'gzip'];

const EMPTY = 'is empty: nothing was recorded in it, or its content was deleted';
/** By the system's error. */
const LEFT_OUT: { readonly [code: string]: LeftOutReason } = { EACCES: 'unreadable', ENOENT: 'removed' };

/** Files to verify, each once, with what was left out. */
export class InputFiles {
  readonly notes: AuditNote[] = [];
  readonly leftOut: LeftOutFile[] = [];
  readonly #deadline: number;
  readonly #files: InputFile[] = [];
  readonly #identities = new Set<string>();
  readonly #emptyFiles: string[] = [];
  /** Audit files' own names, whose copies need no note. */
  readonly #ownNames = new Set<string>();
  /** Why nothing could be read. */
  #error = new OperatorError('No audit file was given; name at least one file or folder.');

  /** @param lineTimeoutMs how long to wait for the first lines, milliseconds */
  constructor(lineTimeoutMs: number) {
    this.#deadline = performance.now() + lineTimeoutMs;
  }

  /** Adds all segments of an audit file. @throws as addPaths */
  addSegmentsOf(auditFile: string): Promise<void> {
    return this.#addFolder(dirname(resolve(auditFile)), basename(auditFile));
  }

  /**
   * Adds files and the segments of folders, and names segments beside the files that are not given.
   * @throws Fault for something else; OperatorError for a folder without segments, or a file that
   * cannot be read
   */
  async addPaths(paths: readonly string[]): Promise<void> {
    const originals = new Map(paths.map((path) => [gzipPath(path), path]));
    const auditFiles = new Set<string>();
    for (const path of paths) {
      const original = originals.get(path);
      // gzip may still be writing it.
      if (original !== undefined) this.#noteCopy(path, original);
      else await this.#addPath(path, auditFiles);
    }
    for (const auditFile of auditFiles) await this.#leaveOutOthers(auditFile);
  }

  /**
   * Opens a segment again. Leaves it out if it is gone or this user cannot read it: null.
   * @throws OperatorError when it cannot be opened
   */
  async open(path: string): Promise<SegmentReader | null> {
    try {
      return await openInput(path);
    } catch (error) {
      const reason = LEFT_OUT[systemErrorCode(error)];
      this.#error = toReadError('audit file', path, error);
      if (reason === undefined) throw this.#error;
      return this.#leaveOut(path, reason);
    }
  }

  /**
   * The files in record order, without copies that gzip or the service made.
   * @throws Fault for another copy, and when all are empty; OperatorError without any file
   */
  order(): readonly InputFile[] {
    const kept = new Map<string, InputFile>();
    for (const file of this.#files.toSorted((left, right) => FORMS.indexOf(left.form) - FORMS.indexOf(right.form))) {
      const original = kept.get(file.first.hash);
      if (original === undefined) kept.set(file.first.hash, file);
      else this.#dropCopy(file, original);
    }
    const [empty] = this.#emptyFiles;
    if (kept.size === 0) throw empty === undefined ? this.#error : new Fault(empty, null, EMPTY);
    this.notes.push(...this.#emptyFiles.map((file) => ({ file, message: EMPTY })));
    return [...kept.values()].toSorted((left, right) => left.first.seq - right.first.seq);
  }

  /** @param auditFile name; null: all audit files of the folder */
  async #addFolder(folder: string, auditFile: string | null): Promise<void> {
    const segments = await listSegmentsOf(folder, auditFile).catch((error: unknown) => {
      throw toReadError('folder of the audit file', folder, error);
    });
    if (segments.every(({ form }) => form === 'packed')) {
      const name = auditFile === null ? 'an audit file' : printable(auditFile);
      const advice = segments.length === 0 ? '; check the path' : ' that can be read; decompress them';
      throw new OperatorError(`The folder ${printable(folder)} has no segment of ${name}${advice}.`);
    }
    for (const { path, form } of segments) {
      const reader = form === 'packed' ? this.#leaveOut(path, 'compressed') : await this.open(path);
      if (reader !== null) await this.#add(reader);
    }
    const names = new Set(segments.map(({ auditFile: name }) => name));
    for (const name of names) await this.#addOwnName(join(folder, name));
  }

  /** Adds a file at an audit file's own name that no segment is: perhaps the only copy of one. */
  async #addOwnName(auditFile: string): Promise<void> {
    const identity = await readFileIdentity(auditFile);
    if (identity === null || this.#identities.has(identity)) return;
    if ((await findSegment(auditFile, identity)) !== null) return;
    const reader = await this.open(auditFile);
    if (reader !== null) await this.#add(reader);
    this.#ownNames.add(auditFile);
  }

  /** @param auditFiles receives the audit file that it is a segment of */
  async #addPath(path: string, auditFiles: Set<string>): Promise<void> {
    const reader = await openInput(path).catch((error: unknown) => {
      if (systemErrorCode(error) === 'EISDIR') return null;
      throw toReadError('audit file', path, error);
    });
    if (reader === null) return await this.#addFolder(path, null);
    const [folder, name] = [dirname(path), basename(path)];
    const parsed = parseSegmentName(name);
    const auditFile = resolve(folder, parsed?.auditFile ?? name);
    auditFiles.add(auditFile);
    // The service may give the audit file's own name to another segment.
    const segment = parsed === null ? await findSegment(auditFile, reader.identity) : null;
    await this.#add(reader, segment === null ? reader.path : join(folder, basename(segment.path)));
  }

  /** Adds a file unless it was added, and closes it. */
  async #add(reader: SegmentReader, path = reader.path): Promise<void> {
    try {
      if (this.#identities.has(reader.identity)) return;
      this.#identities.add(reader.identity);
      const name = printable(path);
      const first = await readFirst(reader, name, this.#deadline - performance.now());
      const form = reader.isCompressed ? 'gzip' : (parseSegmentName(basename(path))?.form ?? null);
      if (first === null) this.#emptyFiles.push(name);
      else this.#files.push({ path, name, size: await reader.size(), form, first });
    } finally {
      await reader.close();
    }
  }

  /** Names segments that are not given. */
  async #leaveOutOthers(auditFile: string): Promise<void> {
    // Reading a file does not imply listing its folder.
    for (const { path, form } of await listSegmentsOf(dirname(auditFile), basename(auditFile)).catch(() => [])) {
      const identity = await readFileIdentity(path);
      if (identity === null || this.#identities.has(identity)) continue;
      this.#leaveOut(path, form === 'packed' ? 'compressed' : 'not-given');
    }
  }

  /** Names a file once, with its first reason. */
  #leaveOut(path: string, reason: LeftOutReason): null {
    const file = printable(path);
    if (this.leftOut.every((left) => left.file !== file)) this.leftOut.push({ file, reason });
    return null;
  }

  /** @throws Fault for a copy that neither gzip nor the service made */
  #dropCopy(file: InputFile, original: InputFile): void {
    if (!isMadeFrom(original, file)) {
      const message = `is record ${file.first.seq}, with which ${original.name} also begins: one of the files is a copy`;
      throw new Fault(file.name, 1, message);
    }
    if (!this.#ownNames.has(file.path) && !this.#ownNames.has(original.path)) this.#noteCopy(file.path, original.path);
  }

  #noteCopy(path: string, original: string): void {
    const kind = path.endsWith('.gz') ? 'compressed copy' : 'copy';
    this.notes.push({ file: printable(path), message: `was not read: it is a ${kind} of ${printable(original)}` });
  }
}

/**
 * Opens an audit file, or what gzip has made of it meanwhile.
 * @throws UnsuitableFileError for other than a regular file; the system's error for the path
 */
async function openInput(path: string): Promise<SegmentReader> {
  // Of the name as given, also if neither is there.
  return (await openSegment({ path })) ?? (await SegmentReader.open(path));
}

/** The segment that is this file, by its identity; null without one. */
async function findSegment(auditFile: string, identity: string): Promise<Segment | null> {
  for (const segment of (await listSegments(auditFile).catch(() => [])).toReversed())
    if ((await readFileIdentity(segment.path)) === identity) return segment;
  return null;
}

/**
 * The segment record at the start of a file; null for an empty file.
 * @param timeoutMs how long to wait for the rest of its line, milliseconds
 * @throws Fault for anything else
 */
async function readFirst(reader: SegmentReader, name: string, timeoutMs: number): Promise<ReadRecord | null> {
  for await (const [line] of settledLines(reader, name, timeoutMs, () => false))
    if (line !== undefined) return toSegmentRecord(line.text, name);
  return null;
}

function toSegmentRecord(line: string | null, name: string): ReadRecord {
  const record = readRecord(line);
  if (!('issue' in record)) {
    if (record.event === 'segment') return record;
    throw new Fault(name, 1, 'begins a file but is not a segment record');
  }
  if (isPacked(name)) throw new Fault(name, null, 'is compressed: decompress it and verify the resulting file');
  const advice = record === NOT_A_RECORD ? '. If the service did not write this file, move it to another folder' : '';
  throw new Fault(name, 1, `${record.issue}${advice}`);
}

/** Whether gzip or the service made a copy, or it has the name that the newest segment also has. */
function isMadeFrom(original: InputFile, { path, form }: InputFile): boolean {
  if (form === 'gzip' || original.form === 'recovered') return original.form !== form;
  const auditFile = parseSegmentName(basename(original.path))?.auditFile;
  return resolve(path) === resolve(dirname(original.path), auditFile ?? '');
}
