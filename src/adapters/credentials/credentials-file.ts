import type { BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import {
  type CredentialIssue,
  invalidAccount,
  listAccountEntries,
} from '../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../domain/configuration/credentials-schema.ts';
import { AccountIssues } from '../../domain/model/account-issues.ts';
import { CredentialLoadError, OperatorError } from '../../domain/model/errors.ts';
import { adviseOnReading, fileError } from '../files/file-advice.ts';
import { findPermissionIssue } from '../files/file-permissions.ts';
import { type OpenOptions, type RegularFile, withRegularFile } from '../files/open-regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { sha256Of } from '../node/sha256.ts';
import { duplicateKeyIssues, locateIssues, syntaxMessage } from './locate-issues.ts';
import { validateCredentials } from './validate-credentials.ts';

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

  const { content, issues } = validateCredentials(written);
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

/** Path of the file behind symbolic links. @throws CredentialLoadError if there is none */
export function resolveLinks(file: string): Promise<string> {
  return realpath(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
}

/** The revision that {@link readCredentialsFile} would return now, without reading the content. */
export async function currentRevision(file: string): Promise<string> {
  return withFile(file, {}, async ({ stats }) => formatRevision(stats));
}

/** Explains why a credentials file cannot be read. */
export function unreadable(file: string, error: unknown): CredentialLoadError {
  if (error instanceof CredentialLoadError) return error;
  return loadError(file, systemErrorCode(error) === 'ENOENT' ? MISSING : adviseOnReading(error), error);
}

const MISSING =
  'no such file; restore it, or if it never existed, run `signing-service init` to create one without accounts';

const OWNER_AND_GROUP = 0o660;

/**
 * Replaces a credentials file atomically, and reads back what was written. Keeps owner, group and
 * mode, except access of others. The caller holds the file's lock.
 * @param file path of an existing file, without symbolic links
 * @param beforeRename may throw
 * @throws OperatorError if it cannot be written with that owner; the file is unchanged
 */
export function replaceCredentialsFile(
  file: string,
  written: WrittenCredentials,
  beforeRename: () => Promise<void>,
): Promise<void> {
  const text = formatCredentials(written);
  return replaceFile(file, {
    write: (handle) => handle.writeFile(text),
    access: { of: file, mode: OWNER_AND_GROUP },
    beforeRename: async (temporary) => {
      if ((await currentDigest(temporary)) !== sha256Of(text)) {
        throw fileError(file, 'its new content differs when read back, so it was not changed; check the disk');
      }
      await beforeRename();
    },
  });
}

/** The file's text: JSON with two spaces of indent and a final newline. */
export function formatCredentials(written: WrittenCredentials): string {
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** @throws OperatorError if the file was modified since it was read */
export async function assertUnchanged(file: string, revision: string): Promise<void> {
  if ((await currentRevision(file)) !== revision) throw changedMeanwhile(file);
}

/** Another process wrote a file that this one was to replace. */
export function changedMeanwhile(file: string): OperatorError {
  return new OperatorError(
    `${file} was changed by another process at the same time; nothing was changed. Run the command again.`,
  );
}

type Reading = Pick<CredentialsSnapshot, 'revision' | 'digest'> & { readonly text: string };

/** A concurrent write may mix old and new content: reads it again. */
async function readText(file: string, production = false): Promise<Reading> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const reading = await withFile(file, { maxBytes: MAX_BYTES }, (opened) => readOnce(file, opened, production));
    if (reading !== null) return reading;
  }
  throw loadError(file, 'changed each time that it was read; try again when no program writes to it');
}

/** Null if the file changed during reading. */
async function readOnce(file: string, { handle, stats }: RegularFile, production: boolean): Promise<Reading | null> {
  const bytes = await handle.readFile();
  try {
    const revision = formatRevision(stats);
    if (formatRevision(await handle.stat({ bigint: true })) !== revision) return null;
    const access = { mode: Number(stats.mode), uid: Number(stats.uid), gid: Number(stats.gid) };
    const issue = production ? findPermissionIssue(file, access, 'trusted', 'accounts, keys and permissions') : null;
    if (issue !== null) throw loadError(file, issue);
    return { text: decodeText(file, bytes), revision, digest: sha256Of(bytes) };
  } finally {
    // May include plaintext keys.
    bytes.fill(0);
  }
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
