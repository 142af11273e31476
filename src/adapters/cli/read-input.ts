import { closeSync, openSync, readSync } from 'node:fs';
import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';

const STANDARD_INPUT = 0;
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads up to `maxBytes` of a user's file, which may be a pipe or device without size or end.
 * @param file its path, or a name for standard input
 * @throws OperatorError if it cannot be read
 */
export function readInput(file: string, maxBytes: number, isStandardInput = false): Buffer {
  try {
    const descriptor = isStandardInput ? STANDARD_INPUT : openSync(file, 'r');
    try {
      return readUpTo(descriptor, maxBytes);
    } finally {
      if (!isStandardInput) closeSync(descriptor);
    }
  } catch (error) {
    throw new OperatorError(`${file} cannot be read (${systemErrorCode(error)}). Check the path.`, {
      cause: error,
    });
  }
}

function readUpTo(descriptor: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let total = 0; total < maxBytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes - total));
    const length = readSync(descriptor, chunk);
    if (length === 0) break;
    total += length;
    chunks.push(chunk.subarray(0, length));
  }
  return Buffer.concat(chunks);
}
