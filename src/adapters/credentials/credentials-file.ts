import { type BigIntStats, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import {
  type CredentialIssue,
  invalidAccount,
  listAccountEntries,
} from '../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../domain/configuration/credentials-schema.ts';
import { AccountIssues } from '../../domain/model/account-issues.ts';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import { findPermissionIssue } from '../files/file-permissions.ts';
import {
  type OpenOptions,
  type RegularFile,
  UnsuitableFileError,
  withRegularFile,
} from '../files/open-regular-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { sha256Of } from '../node/sha256.ts';
import { duplicateKeyIssues, locateIssues, syntaxMessage } from './locate-issues.ts';
import { validateCredentials } from './validate-credentials.ts';

const DENIALS: readonly string[] = ['EACCES', 'EPERM'];

function isPermissionDenied(error: unknown): boolean {
  return DENIALS.includes(systemErrorCode(error));
}

/**
 * Explains a denied read.
 * @param code EACCES or EPERM
 * @returns a clause about the file: `cannot be read: …`
 */
function formatPermissionDenied(file: string, code: string): string {
  const folder = blockingFolder(resolve(file));
  const subject = folder === null ? 'the file' : `the folder ${folder}`;
  const grant = folder === null ? 'read the file' : 'enter that folder and read the file';
  return (
    `cannot be read: permission denied (${code}) on ${subject} for ${formatCurrentUser()}; ` +
    `let this user ${grant} (chown, chgrp, chmod), or run this as a user with access`
  );
}

/** The folder above `path` that this process cannot search; null if `path` is reachable. */
function blockingFolder(path: string): string | null {
  const folder = dirname(path);
  if (folder === path || !isDenied(path)) return null;
  return isDenied(folder) ? blockingFolder(folder) : folder;
}

function isDenied(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return isPermissionDenied(error);
  }
}

/** The effective user: `user signing (uid 999)`, or the uid alone. */
function formatCurrentUser(): string {
  const uid = process.geteuid?.();
  try {
    const user = userInfo();
    return user.uid === uid ? `user ${user.username} (uid ${uid})` : `uid ${uid}`;
  } catch {
    // Users in containers may be missing from /etc/passwd.
    return uid === undefined ? 'this user' : `uid ${uid}`;
  }
}

const MAX_BYTES = 256 * 1024 * 1024;

/** Attempts to read a file that changes meanwhile. */
const MAX_ATTEMPTS = 3;

/** A consistent, valid credentials file. */
export interface CredentialsSnapshot {
  readonly content: CredentialsContent;
  /** As written in the file, for editing. */
  readonly written: WrittenCredentials;
  /** Changes when the file is written or replaced. */
  readonly revision: string;
  /** `sha256:<64 hex>` of the file's bytes. */
  readonly digest: string;
}

interface BytesReading {
  readonly bytes: Buffer;
  readonly revision: string;
  /** fstat(2) of the open file. */
  readonly stats: Pick<Stats, 'mode' | 'uid' | 'gid'>;
  /** Whether the file changed during reading. */
  readonly isOutdated: boolean;
}

/** Additional checks. */
interface CredentialsChecks {
  /** Validates content further; its issues are located, too. */
  readonly check?: (content: CredentialsContent) => readonly CredentialIssue[];
  /** Whether to reject a file that other users can change. */
  readonly production?: boolean;
}

/**
 * Reads and validates a credentials file, except for its keys.
 * @throws CredentialLoadError with the first 20 issues (path, line, column) and no values but short
 * account ids
 */
export async function readCredentialsFile(
  file: string,
  { check = () => [], production = false }: CredentialsChecks = {},
): Promise<CredentialsSnapshot> {
  const { text, revision, digest } = await readText(file, production);
  const written = parseJson(file, text);

  const { content, issues } = await validateCredentials(written);
  const all = issues.length > 0 ? issues : [...duplicateKeyIssues(text), ...check(content)];
  if (all.length > 0) throw invalidFile(file, text, written, all);
  return { content, written: written as WrittenCredentials, revision, digest };
}

/**
 * The digest that {@link readCredentialsFile} would return now, without validation.
 * @throws CredentialLoadError if unreadable
 */
export async function currentDigest(file: string): Promise<string> {
  return (await readText(file)).digest;
}

/** The revision that {@link readCredentialsFile} would return now, without reading the content. */
export async function currentRevision(file: string): Promise<string> {
  return withFile(file, {}, async ({ stats }) => formatRevision(stats));
}

/** Explains why a credentials file cannot be read. */
export function unreadable(file: string, error: unknown): CredentialLoadError {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') {
    return loadError(
      file,
      'no such file; restore it, or if it never existed, run `signing-service init` to create one without accounts',
      error,
    );
  }
  if (error instanceof UnsuitableFileError) {
    const isLarger = error.code === 'EFBIG';
    return loadError(
      file,
      isLarger ? 'is larger than 256 MiB; check that it is the credentials file' : 'is not a regular file',
      error,
    );
  }
  if (isPermissionDenied(error)) return loadError(file, formatPermissionDenied(file, code), error);
  return loadError(file, `cannot be read (${code})`, error);
}

async function readText(file: string, production = false): Promise<{ text: string; revision: string; digest: string }> {
  const { bytes, revision, stats } = await readConsistent(file);
  try {
    const issue = production ? findPermissionIssue(file, stats, 'trusted', 'accounts, keys and permissions') : null;
    if (issue !== null) throw loadError(file, issue);
    const digest = sha256Of(bytes);
    return { text: decodeText(file, bytes), revision, digest };
  } finally {
    // May include plaintext keys.
    bytes.fill(0);
  }
}

/** A concurrent write may mix old and new content. */
async function readConsistent(file: string): Promise<BytesReading> {
  for (let attempt = 1; ; attempt += 1) {
    const reading = await readBytes(file);
    if (!reading.isOutdated || attempt === MAX_ATTEMPTS) return reading;
    reading.bytes.fill(0);
  }
}

function readBytes(file: string): Promise<BytesReading> {
  return withFile(file, { maxBytes: MAX_BYTES }, async ({ handle, stats }) => {
    const bytes = await handle.readFile();
    const isOutdated = formatRevision(await handle.stat({ bigint: true })) !== formatRevision(stats);
    const access = { mode: Number(stats.mode), uid: Number(stats.uid), gid: Number(stats.gid) };
    return { bytes, revision: formatRevision(stats), stats: access, isOutdated };
  });
}

async function withFile<Result>(
  file: string,
  options: OpenOptions,
  use: (file: RegularFile) => Promise<Result>,
): Promise<Result> {
  try {
    return await withRegularFile(file, options, use);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function formatRevision({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

function decodeText(file: string, bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw loadError(file, 'is not UTF-8; save it as UTF-8');
  }
  if (text.trim() === '') {
    throw loadError(
      file,
      'is empty; restore it, or if it never had an account, remove it and run `signing-service init` to create one without accounts',
    );
  }
  return text;
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw loadError(file, syntaxMessage(text));
  }
}

function invalidFile(
  file: string,
  text: string,
  written: unknown,
  found: readonly CredentialIssue[],
): CredentialLoadError {
  const accounts = listAccountEntries(written);
  const issues = new AccountIssues<CredentialIssue>();
  for (const issue of found) issues.add(issue, invalidAccount(issue, accounts));
  return new CredentialLoadError(file, [...locateIssues(text, issues.report(accounts.length)), ...issues.rest]);
}

function loadError(file: string, message: string, cause?: unknown): CredentialLoadError {
  return new CredentialLoadError(file, [{ path: '', message }], cause);
}
