import type { FileHandle } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { inContext } from '../../../domain/model/errors.ts';
import { type MasterKeyInfo, WRAPPING_SOURCES } from '../../../domain/model/master-key-rotation.ts';
import type { WrappedKey } from '../../../ports/wrapping-keys.ts';
import { fileError } from '../../files/file-advice.ts';
import { replaceFile, writeAllSync } from '../../files/replace-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { assertPrivate, withSecretFile } from '../../secret-files/secret-file.ts';
import { decodeHex, encodeHex, isHexDigit, withoutFinalNewline } from '../../secret-files/secret-text.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { changedMeanwhile } from '../credentials-file.ts';
import { identifyMasterKey, MASTER_KEY_LENGTH, type TakeMasterKey } from './master-key.ts';
import { type PassphraseProtectedKey, parseProtectedKey } from './passphrase-protected-key.ts';
import { parseWrappedKey } from './wrapped-key.ts';

/** A line of the keyring; a plain key is not kept. */
export type RingLine = { readonly source: 'file'; readonly id: string } | PassphraseProtectedKey | WrappedKey;

/** The first key seals, each opens. */
export type Ring = readonly [RingLine, ...RingLine[]];

/** Keys of a ring at most: 64 KiB of locked memory hold them all beside the keys in use. */
export const MAX_RING_KEYS = 10;

/** A wrapped key with the longest names has under 1600 bytes. */
const MAX_RING_BYTES = MAX_RING_KEYS * 1600;

const HEX_DIGITS = 2 * MASTER_KEY_LENGTH;
const LINE_FEED = Buffer.from('\n');
const PERMISSIONS = 0o777;
const STARTS = ['argon2id', ...WRAPPING_SOURCES].map((start) => `${start}.`);

/**
 * Reads a keyring: one key a line (LF or CRLF, the last one optional), each 64 hex digits,
 * protected by a passphrase or wrapped by a service or token; or one key of 32 raw bytes. Read the
 * credentials file first: a rotation replaces it last.
 * @param take receives the plain keys
 * @throws OperatorError if missing, malformed, accessible to others or with a key twice
 */
export function readRing(file: string, take: TakeMasterKey = () => undefined): Ring {
  try {
    return withLines(file, (lines) => parseRing(file, lines, take));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw fileError(
      file,
      'no master key; restore it, or set SIGNING_MASTER_KEY_FILE to its path; if it never existed, run `signing-service init`',
      error,
    );
  }
}

/** Whether a service or token wraps the key. */
export function isWrapped(line: RingLine): line is WrappedKey {
  return line.source !== 'file' && line.source !== 'passphrase';
}

/** The ring's keys and the remedy for another id, as the end of a sentence. */
export function describeRing(file: string, ring: Ring): string {
  return (
    `${file} contains ${idsOf(ring).join(', ')}; after a rotation, deploy this file first (with credentials of systemd, restart the service); ` +
    'otherwise append the line of the master key under which it was sealed, or set SIGNING_MASTER_KEY_FILE to the file that contains it'
  );
}

/** What reports say of a key. */
export function toKeyInfo({ id, source }: Pick<RingLine, 'id' | 'source'>): MasterKeyInfo {
  return { id, source, hasPassphrase: source === 'passphrase' };
}

/** Passes the line of a key to `use`, with its line feed; a plain one in locked memory. */
export type RingLineText = (use: (text: Buffer) => void) => void;

/**
 * Puts another key in front of the ring.
 * @param file path without symbolic links; the caller holds its lock
 * @param ring as it was read before
 * @param id of the added key
 * @throws OperatorError if another process changed it since, or it cannot be written with its
 * owner; the file is unchanged
 */
export function putKeyInFront(file: string, ring: Ring, id: string, added: RingLineText): Promise<void> {
  return replaceRing(file, ring, [{ id }, ...ring], (lines, write) =>
    added((text) => write([withoutFinalNewline(text), ...lines])),
  );
}

/**
 * Removes every key but the first from the ring. Parameters and errors as {@link putKeyInFront}.
 */
export function keepFirstKey(file: string, ring: Ring): Promise<void> {
  return replaceRing(file, ring, ring.slice(0, 1), (lines, write) => write(lines.slice(0, 1)));
}

/** Replaces the file atomically, keeps owner, group and mode, and reads what was written. */
function replaceRing(
  file: string,
  ring: Ring,
  expected: readonly Pick<RingLine, 'id'>[],
  change: (lines: readonly Buffer[], write: (changed: readonly Buffer[]) => void) => void,
): Promise<void> {
  const write = ({ fd }: FileHandle, temporary: string) => {
    withLines(file, (lines) => {
      assertSameRing(
        file,
        ring,
        parseRing(file, lines, () => undefined),
      );
      change(lines, (changed) => {
        for (const line of changed) for (const bytes of [line, LINE_FEED]) writeAllSync(fd, bytes);
      });
    });
    const written = readRing(temporary);
    const isSame = expected.every((line, index) => isDeepStrictEqual({ ...written[index], ...line }, written[index]));
    if (isSame && written.length === expected.length) return;
    throw fileError(file, 'its new content differs when read back, so it was not changed; check the disk');
  };
  return replaceFile(file, { write, access: { of: file, mode: PERMISSIONS } });
}

function idsOf(ring: Ring): readonly string[] {
  return ring.map(({ id }) => id);
}

/** @throws OperatorError if another process changed the ring */
export function assertSameRing(file: string, before: Ring, now: Ring): void {
  if (idsOf(before).join() !== idsOf(now).join()) throw changedMeanwhile(file);
}

function withLines<Result>(file: string, use: (lines: readonly Buffer[]) => Result): Result {
  return withSecretFile(file, MAX_RING_BYTES, (content, stats) => {
    assertPrivate(file, stats, 'the master key');
    // Raw bytes; as hex digits, they would be a shorter key.
    if (content.length !== MASTER_KEY_LENGTH || content.every(isHexDigit)) return use(splitLines(content));
    return withLockedBytes(HEX_DIGITS, (text) => {
      encodeHex(content, text);
      return use([text]);
    });
  });
}

/** Without line breaks. */
function splitLines(content: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf(LINE_FEED, start);
    const end = found === -1 ? content.length : found + LINE_FEED.length;
    lines.push(withoutFinalNewline(content.subarray(start, end)));
    start = end;
  }
  return lines;
}

function parseRing(file: string, lines: readonly Buffer[], take: TakeMasterKey): Ring {
  if (lines.length > MAX_RING_KEYS) {
    throw fileError(file, `it has more than ${MAX_RING_KEYS} lines; remove those of unused master keys`);
  }
  const keys = lines.map((line, index) => parseLine(file, line, index + 1, take));
  const ids = keys.map(({ id }) => id);
  const duplicate = ids.find((id, index) => ids.indexOf(id) !== index);
  if (duplicate === undefined) return keys as readonly RingLine[] as Ring;
  throw fileError(file, `it has master key ${duplicate} twice; remove one of its lines`);
}

function parseLine(file: string, line: Buffer, number: number, take: TakeMasterKey): RingLine {
  const key = isEncrypted(line) ? parseEncryptedKey(file, line.toString('latin1')) : parsePlainKey(line, take);
  if (key !== undefined) return key;
  throw fileError(
    file,
    `line ${number} contains no master key (${HEX_DIGITS} hex digits, or a text that begins with ${STARTS.map((start) => `${start}v1.`).join(' ')}); ` +
      'remove blank lines and comments, restore it, or correct SIGNING_MASTER_KEY_FILE',
  );
}

/** Other lines may be plain keys, which must not become strings. */
function isEncrypted(line: Buffer): boolean {
  return STARTS.some((start) => line.subarray(0, start.length).equals(Buffer.from(start)));
}

function parseEncryptedKey(file: string, text: string): RingLine | undefined {
  try {
    return parseProtectedKey(text) ?? parseWrappedKey(text);
  } catch (error) {
    throw inContext(error, (message) => `${file}: ${message}`);
  }
}

function parsePlainKey(line: Buffer, take: TakeMasterKey): RingLine | undefined {
  return withLockedBytes(MASTER_KEY_LENGTH, (key) => {
    if (!decodeHex(line, key)) return undefined;
    const id = identifyMasterKey(key);
    take(id, key);
    return { source: 'file', id };
  });
}
