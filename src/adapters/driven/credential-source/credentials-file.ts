import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AccountFaults } from '../../../domain/model/account-faults.ts';
import { CredentialLoadError } from '../../../domain/model/errors.ts';
import { findPermissionFault } from '../../../files/file-permissions.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import { conflictFaults } from './conflict-faults.ts';
import type { CredentialFault } from './credential-fault.ts';
import { type CredentialsContent, credentialsFileSchema, type WrittenCredentials } from './credentials-schema.ts';
import { accountsIn, faultyAccount } from './faulty-account.ts';
import { duplicateMemberFaults, locateFaults, syntaxMessage } from './json-text.ts';
import { isPermissionDenied, permissionDeniedText } from './permission-denied.ts';
import { schemaFaults, schemaMessage } from './schema-faults.ts';

const MAX_BYTES = 256 * 1024 * 1024;

/** How often a file that changes while it is read is read. */
const MAX_READINGS = 3;

/** One consistent reading of a credentials file in which nothing is wrong. */
export interface CredentialsReading {
  readonly content: CredentialsContent;
  /** The same as it stands in the file, for those who write it back. */
  readonly written: WrittenCredentials;
  /** Changes when the file is written or replaced. */
  readonly revision: string;
  /** `sha256:<64 hex>` of the file's bytes. */
  readonly digest: string;
}

/** The file's bytes, with the revision from before they were read. */
interface BytesReading {
  readonly bytes: Buffer;
  readonly revision: string;
  /** Of the file that was opened. */
  readonly stats: Pick<Stats, 'mode' | 'uid'>;
  /** Whether the file changed while it was read. */
  readonly isOutdated: boolean;
}

/** What else a credentials file has to be. */
export interface CredentialsChecks {
  /** A further check of a right file; its faults are reported with their lines. */
  readonly check?: (content: CredentialsContent) => readonly CredentialFault[];
  /** Whether a file that other users can change is refused. */
  readonly production?: boolean;
}

/**
 * Reads a credentials file and checks everything in it but the keys.
 * @throws CredentialLoadError that names the first 20 faults with path, line and column, a fault of
 * many accounts once, and no value from the file but short ids of accounts
 */
export async function readCredentialsFile(
  file: string,
  { check = () => [], production = false }: CredentialsChecks = {},
): Promise<CredentialsReading> {
  const { text, revision, digest } = await readText(file, production);
  const written = parseJson(file, text);

  const parsed = credentialsFileSchema.safeParse(written, { error: schemaMessage });
  if (!parsed.success) throw faulty(file, text, written, schemaFaults(parsed.error.issues));
  const faults = [...duplicateMemberFaults(text, written), ...conflictFaults(parsed.data), ...check(parsed.data)];
  if (faults.length > 0) throw faulty(file, text, written, faults);

  return { content: parsed.data, written: written as WrittenCredentials, revision, digest };
}

/** The digest that {@link readCredentialsFile} would report now, whatever stands in the file. @throws CredentialLoadError when it can't be read */
export async function currentDigest(file: string): Promise<string> {
  return (await readText(file)).digest;
}

/** The revision that {@link readCredentialsFile} would report now, without reading the content. */
export async function currentRevision(file: string): Promise<string> {
  const handle = await openForReading(file);
  try {
    return (await inspect(file, handle)).revision;
  } finally {
    await handle.close();
  }
}

/** The error for a credentials file that can't be read, by the operating system's error code. */
export function unreadable(file: string, error: unknown): CredentialLoadError {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') {
    return wrong(
      file,
      'there is no such file; restore it, or run `signing-service init` where there never was one: it makes one without accounts',
      error,
    );
  }
  if (isPermissionDenied(error)) return wrong(file, permissionDeniedText(file, code), error);
  return wrong(file, `can't be read (${code})`, error);
}

async function readText(file: string, production = false): Promise<{ text: string; revision: string; digest: string }> {
  const { bytes, revision, stats } = await readSettled(file);
  try {
    const fault = production ? findPermissionFault(file, stats, 'trusted', 'who may sign with which key') : null;
    if (fault !== null) throw wrong(file, fault);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    return { text: decodeText(file, bytes), revision, digest };
  } finally {
    // A plaintext key may have been in it.
    bytes.fill(0);
  }
}

/** What was read while somebody wrote may be half of the one content and half of the other. */
async function readSettled(file: string): Promise<BytesReading> {
  for (let readings = 1; ; readings += 1) {
    const reading = await readBytes(file);
    if (!reading.isOutdated || readings === MAX_READINGS) return reading;
    reading.bytes.fill(0);
  }
}

async function readBytes(file: string): Promise<BytesReading> {
  const handle = await openForReading(file);
  try {
    const { size, revision, stats } = await inspect(file, handle);
    if (size > MAX_BYTES) throw wrong(file, 'has more than 256 MiB; check that it is the credentials file');
    const bytes = await handle.readFile().catch((error: unknown) => {
      throw unreadable(file, error);
    });
    return { bytes, revision, stats, isOutdated: (await inspect(file, handle)).revision !== revision };
  } finally {
    await handle.close();
  }
}

async function openForReading(file: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer instead of ending in the check for a regular file.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function inspect(
  file: string,
  handle: FileHandle,
): Promise<{ size: bigint; revision: string; stats: BytesReading['stats'] }> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) throw wrong(file, 'is not a regular file');
  const { dev, ino, size, mtimeNs, mode, uid } = stats;
  const revision = `${dev}:${ino}:${size}:${mtimeNs}`;
  return { size, revision, stats: { mode: Number(mode), uid: Number(uid) } };
}

function decodeText(file: string, bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrong(file, 'is not UTF-8 text; save it as UTF-8');
  }
  if (text.trim() === '') {
    throw wrong(
      file,
      'is empty; restore it, or, where it never had an account, remove it and run `signing-service init` to make one without accounts',
    );
  }
  return text;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(file, syntaxMessage(text));
  }
}

function faulty(file: string, text: string, written: unknown, found: readonly CredentialFault[]): CredentialLoadError {
  const accounts = accountsIn(written);
  const faults = new AccountFaults<CredentialFault>();
  for (const fault of found) faults.add(fault, faultyAccount(fault.path, accounts));
  return new CredentialLoadError(file, [...locateFaults(text, faults.report(accounts.length)), ...faults.rest]);
}

function wrong(file: string, message: string, cause?: unknown): CredentialLoadError {
  return new CredentialLoadError(file, [{ path: '', message }], cause);
}
