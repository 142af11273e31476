import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { OperatorError } from '../../domain/model/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, jsonPath } from '../../domain/model/json.ts';
import { findDuplicateKeys, inexactNumberSteps, runSteps } from '../../domain/model/text/lossless-json.ts';
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

/** Limit of a request, bytes. */
const MAX_BYTES = 1_048_576;

const NOT_JSON = 'must be JSON (RFC 8259) in UTF-8 without a byte order mark';

/**
 * Reads the `data` of a request as strictly as the API: numbers that a double cannot hold become
 * infinity, which no platform signs.
 * @param file `-` for standard input
 * @throws OperatorError if it cannot be read, OperatorError if it is invalid
 */
export function readData(file: string): JsonObject {
  const { name, text } = readJsonText(file);
  const data: JsonValue = JSON.parse(runSteps(inexactNumberSteps(text)));
  if (!isJsonObject(data)) throw new OperatorError(`${name} must be a JSON object: the data of a request.`);
  if ('platformId' in data && isJsonObject(data['data'] ?? null)) {
    throw new OperatorError(`${name} is a complete request; pass only the value of its data.`);
  }
  return data;
}

/**
 * Reads a JSON file of at most 1 MiB, in UTF-8 and without duplicate keys.
 * @param file `-` for standard input
 * @returns its text, and its name in messages
 * @throws OperatorError
 */
export function readJsonText(file: string): { readonly name: string; readonly text: string } {
  const isStandardInput = file === '-';
  const bytes = readInput(file, MAX_BYTES + 1, isStandardInput);
  const name = isStandardInput ? 'Standard input' : file;
  if (bytes.length > MAX_BYTES) throw new OperatorError(`${name} exceeds 1 MiB, the size limit of a request.`);
  if (!isUtf8(bytes)) throw new OperatorError(`${name} is not valid UTF-8; it ${NOT_JSON}.`);
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
  } catch {
    throw new OperatorError(`${name} is not valid JSON; it ${NOT_JSON}.`);
  }
  assertNoDuplicates(name, text);
  return { name, text };
}

function assertNoDuplicates(name: string, text: string): void {
  const duplicates = findDuplicateKeys(text, 1);
  if (duplicates === null) throw new OperatorError(`${name} is nested too deeply.`);
  const [duplicate] = duplicates;
  if (duplicate === undefined) return;
  const path = jsonPath('data', [...duplicate.path, duplicate.name]);
  throw new OperatorError(`${name}: ${path} is a duplicate key; parsers disagree on which value wins.`);
}
