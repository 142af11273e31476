import { type CredentialIssue, invalidAccount, renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { withFileLock } from '../../files/file-lock.ts';
import {
  assertUnchanged,
  type CredentialsSnapshot,
  changedMeanwhile,
  currentRevision,
  readCredentialsFile,
  replaceCredentialsFile,
  resolveLinks,
} from '../credentials-file.ts';
import { validateCredentials } from '../validate-credentials.ts';

/** Changes of other processes that an edit survives. */
const MAX_ATTEMPTS = 50;

/** An account as the file has it. */
export type WrittenAccount = WrittenCredentials['accounts'][number];

/**
 * A changed document, undefined to leave it, and what the command reports of it, which may refuse it
 * by an error.
 */
export interface Edit<Result> {
  readonly written: WrittenCredentials | undefined;
  readonly report: (after: CredentialsContent) => Result | Promise<Result>;
  /** Whether what it depends on beside the file is still there; checked under the lock. */
  readonly isCurrent?: () => boolean;
}

/** Computes an edit from the file as it is; called again if it changes meanwhile. */
export type Change<Result> = (reading: CredentialsSnapshot) => Edit<Result> | Promise<Edit<Result>>;

/**
 * Edits a credentials file atomically and durably: validates the changed document as a load would,
 * and writes it. The lock is held only for that: `change` may decode keys or wait for a passphrase,
 * while others can stop an account. It is called again if another process wrote meanwhile.
 * @throws CredentialLoadError; OperatorError with the issues of the changed document
 */
export async function editCredentials<Result>(file: string, change: Change<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const reading = await readCredentialsFile(file);
    const edit = await change(reading);
    const result = await validateAndReport(reading, edit);
    if (edit.written === undefined || (await replace(file, reading.revision, edit.written, edit.isCurrent))) {
      return result;
    }
  }
  throw changedMeanwhile(file);
}

/** {@link editCredentials} that writes nothing. */
export async function tryEdit<Result>(file: string, change: Change<Result>): Promise<Result> {
  const reading = await readCredentialsFile(file);
  return validateAndReport(reading, await change(reading));
}

/** Returns false, without a change, if the edit was made for what is there no longer. */
async function replace(
  file: string,
  revision: string,
  written: WrittenCredentials,
  isCurrent: () => boolean = () => true,
): Promise<boolean> {
  const target = await resolveLinks(file);
  return withFileLock(target, async () => {
    if ((await currentRevision(file)) !== revision || !isCurrent()) return false;
    await replaceCredentialsFile(target, written, () => assertUnchanged(file, revision));
    return true;
  });
}

/** Validates the changed document, and reports of it. */
async function validateAndReport<Result>(
  { content }: CredentialsSnapshot,
  { written, report }: Edit<Result>,
): Promise<Result> {
  if (written === undefined) return report(content);
  const { content: after, issues } = validateCredentials(written);
  if (issues.length === 0) return report(after);
  const texts = issues.map((issue) => formatIssue(issue, written.accounts));
  throw new OperatorError(`Nothing was changed: ${texts.join('; ')}.`);
}

/** The operator knows an account by its name, not by its place in the file. */
function formatIssue(issue: CredentialIssue, accounts: WrittenCredentials['accounts']): string {
  const account = invalidAccount(issue, accounts);
  const place = account?.name ? `account ${account.name}: ${account.field}` : renderPath(issue.path);
  return `${place} ${issue.message}`;
}
