import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { FORMAT_VERSION } from '../../../audit-trail/audit-record.ts';
import { foreignFileFault, tornFileFault } from './audit-file-fault.ts';
import type { RecordRange } from './chain-end.ts';
import {
  type FileOperations,
  type FileReading,
  type OpenFile,
  readFully,
  syncFolder,
  writeFully,
} from './file-operations.ts';

/** What stood behind the last signed record of a file, and was moved aside. */
export interface UnsignedTail {
  /** Its length, bytes. */
  readonly bytes: number;
  /** Whole records in it; null where it is nothing but an unfinished line. */
  readonly records: RecordRange | null;
}

const CHUNK_BYTES = 65_536;
const NEWLINE = 0x0a;
/** How the line of every record begins, up to its number. */
export const LINE_START = `{"v":${FORMAT_VERSION},"seq":`;
const LINE_START_BYTES = Buffer.from(LINE_START);
/** What a power cut left unwritten reads as zeros. */
const UNWRITTEN = 0x00;
/** Neither follows a link nor waits for a pipe. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FILE_MODE = 0o600;

/**
 * A crash in the middle of a write leaves a last line without its newline; nothing in it was ever acknowledged. Returns its length in bytes, 0 when there is none.
 * @throws AuditUnavailableError when the last line is not the beginning of a record, so that a file named by mistake stays unharmed.
 */
export async function findTornTail(file: OpenFile, operations: FileReading): Promise<number> {
  const start = await startOfLastLine(file, operations);
  if (start === file.size) return 0;
  const length = Math.min(LINE_START_BYTES.length, file.size - start);
  if (!isTornRecord(await readFully(file.fd, start, length, operations))) {
    throw foreignFileFault(file.path, 'its last line has no end and is not the beginning of an audit record');
  }
  return file.size - start;
}

/**
 * Appends the last `length` bytes of a file to the one at `tornPath` and, when they are durable there, cuts them off. What is left is durable then, too: of what a killed process wrote, some may be in the
 * kernel's memory alone, and Linux syncs no more than its own bytes with a synchronous write behind it (`recordFlags`).
 */
export async function moveTornTail(
  file: OpenFile,
  length: number,
  tornPath: string,
  operations: FileOperations,
): Promise<void> {
  if (length > 0) {
    const start = file.size - length;
    await copyTail(file, start, tornPath, operations);
    await syncFolder(dirname(tornPath), operations);
    await operations.ftruncate(file.fd, start);
  }
  await operations.fdatasync(file.fd);
}

function isTornRecord(beginning: Buffer): boolean {
  return beginning[0] === UNWRITTEN || LINE_START_BYTES.subarray(0, beginning.length).equals(beginning);
}

/** Offset just behind the last newline; 0 when there is none. */
async function startOfLastLine({ fd, size }: OpenFile, operations: FileReading): Promise<number> {
  for (let end = size; end > 0; ) {
    const position = Math.max(0, end - CHUNK_BYTES);
    const newline = (await readFully(fd, position, end - position, operations)).lastIndexOf(NEWLINE);
    if (newline >= 0) return position + newline + 1;
    end = position;
  }
  return 0;
}

async function copyTail(file: OpenFile, start: number, tornPath: string, operations: FileOperations): Promise<void> {
  const torn = await operations.open(tornPath, FLAGS, FILE_MODE).catch((cause: unknown) => {
    throw tornFileFault(tornPath, cause);
  });
  try {
    for (let position = start; position < file.size; ) {
      const length = Math.min(CHUNK_BYTES, file.size - position);
      await writeFully(torn, await readFully(file.fd, position, length, operations), operations);
      position += length;
    }
    await operations.fsync(torn);
  } finally {
    await operations.close(torn);
  }
}
