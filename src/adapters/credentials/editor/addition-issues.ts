import type { EditRefusedError } from '../../../domain/model/errors.ts';
import { UNKNOWN_PLATFORM } from '../../../domain/model/refusal.ts';
import type { AccountAddition, AdditionIssue } from '../../../ports/credential-editor.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import { accountIssues } from '../conflict-issues.ts';
import { listSchemaIssues, renderPath, schemaMessage } from '../credential-issue.ts';
import { toPlatform } from '../entry-defaults.ts';
import { type AccountEntry, accountSchema } from '../schema/account-schema.ts';
import type { CredentialsContent } from '../schema/credentials-schema.ts';

interface AdditionCheck {
  readonly issues: readonly AdditionIssue[];
  /** Existing accounts, left unchanged. */
  readonly skipped: ReadonlySet<number>;
}

/** The schema requires a key. */
const NO_KEY: AccountEntry['key'] = { file: '-' };

/** Checks each draft against the schema, the file and earlier drafts. */
export function checkAdditions(
  content: CredentialsContent,
  additions: readonly AccountAddition[],
  skipExisting: boolean,
): AdditionCheck {
  const platforms = new Map(content.platforms.map((entry) => [entry.platformId, toPlatform(entry)]));
  // Ids have no slash.
  const existing = new Set(content.accounts.map(({ platformId, accountId }) => `${platformId}/${accountId}`));
  const seen = new Set<string>();
  const skipped = new Set<number>();
  const issues: AdditionIssue[] = [];

  for (const [index, { draft }] of additions.entries()) {
    const report = (field: string, message: string) => issues.push({ index, field, message });
    const name = `${draft.platformId}/${draft.accountId}`;
    const { success, error } = accountSchema.safeParse({ ...draft, key: NO_KEY }, { error: schemaMessage });
    if (!success) for (const { path, message } of listSchemaIssues(error.issues)) report(renderPath(path), message);
    if (seen.has(name)) report('accountId', 'is a duplicate of an earlier account of the same platform');
    seen.add(name);
    if (existing.has(name) && skipExisting) skipped.add(index);
    if (existing.has(name)) {
      if (!skipExisting) report('accountId', 'already exists on its platform');
      continue;
    }
    const platform = platforms.get(draft.platformId);
    if (platform === undefined) report('platformId', UNKNOWN_PLATFORM);
    else for (const { path, message } of accountIssues([], draft, platform)) report(renderPath(path), message);
  }
  return { issues, skipped };
}

type FileOrigin = Extract<AccountAddition['origin'], { kind: 'file' }>;

function fieldOf(file: string, { passwordFile, passphraseFile }: FileOrigin): string {
  if (file === passwordFile) return 'passwordFile';
  return file === passphraseFile ? 'passphraseFile' : 'file';
}

const NO_SUCH_FILE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/**
 * Describes a key that could not be read or made, and its field. A path without a file is not
 * quoted: it may be the secret itself.
 */
export function additionKeyIssue(
  { message, cause }: EditRefusedError,
  { draft, origin }: AccountAddition,
): Omit<AdditionIssue, 'index'> {
  if (origin.kind === 'generate') {
    if (cause !== undefined) return { field: 'file', message };
    return {
      field: 'file',
      message:
        draft.algorithm === 'rsa-sha256'
          ? 'is required: a key for rsa-sha256 cannot be generated here; create it with openssl genpkey -algorithm RSA'
          : `is required: a key for ${draft.algorithm} cannot be generated, because the platform issues it`,
    };
  }
  const field = cause instanceof KeyFileError ? fieldOf(cause.file, origin) : 'file';
  if (!(cause instanceof KeyFileError) || !NO_SUCH_FILE.includes(systemErrorCode(cause.cause)))
    return { field, message };
  return { field, message: 'does not exist: give the path of a file, not the key itself' };
}
