import { dirname, resolve } from 'node:path';
import { describeRing, isWrapped, readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { unwrapKeys } from '../../adapters/credentials/keyring/wrapped-key.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { HelperWrappingKeys } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { fail, type Issue, type Outcome } from '../../adapters/machine/outcome.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { memoizeByObject } from '../../domain/model/memoize.ts';
import type { WrappingKeys } from '../../ports/wrapping-keys.ts';
import type { Settings } from '../settings/settings.ts';
import { type Configured, type Row, readContent } from './rows.ts';

const UNTIL_FIXED = 'The service does not load sealed accounts until this is fixed.';

/** Credentials file, master keys and key files; opens no account's key. */
export const KEY_ROWS: readonly Row<Configured>[] = [
  {
    check: 'credentials',
    needs: ['credentials-file'],
    run: async (context) => checkCredentials(context.settings, await readContent(context)),
    remedy: 'Correct the file; none of it takes effect until then.',
  },
  {
    check: 'sealed-accounts',
    needs: ['master-key'],
    run: async (context) =>
      checkSealedAccounts(context.settings.masterKeyFile, await readContent(context).catch(() => null)),
    remedy: UNTIL_FIXED,
  },
  {
    check: 'master-key-source',
    needs: ['master-key'],
    run: ({ settings: { masterKeyFile } }) =>
      listWrapped(masterKeyFile).map(
        ({ id, source, wrappingKey }) =>
          `${masterKeyFile}: master key ${id} is wrapped by ${source}, key ${wrappingKey}`,
      ),
  },
  {
    check: 'master-key-opening',
    needs: ['master-key'],
    run: ({ settings }) => checkMasterKeyOpening(settings.masterKeyFile, new HelperWrappingKeys(settings.wrappingKeys)),
  },
  { check: 'key-file', needs: ['credentials'], run: (context) => showFirst(context, 'key-file') },
  { check: 'password-file', needs: ['credentials'], run: (context) => showFirst(context, 'password-file') },
  { check: 'key-files', needs: ['credentials'], run: summarize },
];

/** Disabled platforms that are named. */
const MAX_DISABLED = 5;

function checkCredentials({ allowPlaintextKeys, production }: Settings, content: CredentialsContent): Outcome {
  const { accounts, platforms } = content;
  const plaintext = accounts.filter(({ key }) => 'plaintext' in key).length;
  // Depends on settings, so the loader rejects these keys, not the schema.
  if (plaintext > 0 && !allowPlaintextKeys) {
    return fail(
      `accounts with a plaintext key: ${plaintext}; the service rejects them ${production ? 'in production' : 'unless SIGNING_ALLOW_PLAINTEXT_KEYS=true'}`,
      'Import the keys with `signing-service account add --key-file`.',
    );
  }
  const disabled = platforms.filter(({ status }) => status === 'disabled').map(({ platformId }) => platformId);
  const more = disabled.length > MAX_DISABLED ? ` and ${disabled.length - MAX_DISABLED} more` : '';
  const named =
    disabled.length === 0 ? '' : `, of these disabled: ${disabled.slice(0, MAX_DISABLED).join(', ')}${more}`;
  return `accounts: ${accounts.length}, platforms: ${platforms.length}${named}`;
}

/**
 * Whether the keyring has the keys that sealed accounts name.
 * @param content null if it could not be read
 * @throws OperatorError if the keyring cannot be read
 */
function checkSealedAccounts(file: string, content: CredentialsContent | null): Outcome | readonly Outcome[] {
  const ring = readRing(file);
  if (content === null) return [];
  const missing = listMissingKeys(content, ring);
  const total = content.accounts.filter(({ key }) => 'sealed' in key).length;
  if (missing.length === 0) {
    return `all their master keys are available (sealed accounts: ${total}); no account was opened`;
  }
  return fail(
    missing
      .map(({ id, accounts }) => `sealed under master key ${id}, which is not available: ${accounts} of ${total}`)
      .join('\n'),
    `For each of these accounts: ${describeRing(file, ring)}. ${UNTIL_FIXED}`,
  );
}

/** Opens wrapped keys through their service or token, as a start does, and wipes them. */
export async function checkMasterKeyOpening(file: string, wrappingKeys: WrappingKeys): Promise<readonly Outcome[]> {
  const keys = listWrapped(file);
  const issues = await unwrapKeys(keys, wrappingKeys);
  return keys.map(({ source, id }, index) => {
    const issue = issues[index];
    return issue ? fail(`${file}: ${issue.message}`, UNTIL_FIXED) : `${file}: ${source} opened master key ${id}`;
  });
}

/** Empty for an unreadable keyring, which `sealed-accounts` reports. */
function listWrapped(file: string) {
  try {
    return readRing(file).filter(isWrapped);
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
}

/** Issues of key and password files that are shown individually. */
const MAX_KEY_FILES = 5;

/**
 * Issues of the files that accounts name, with their checks. Opens none: a keystore takes seconds,
 * and a start reports what is in a file. Kubernetes mounts secrets readable by all users of a
 * container by default.
 */
const findKeyFileIssues = memoizeByObject(async (context: Configured) => {
  const folder = dirname(context.settings.credentialsFile);
  const files = new Map<string, string>();
  for (const { key } of (await readContent(context)).accounts) {
    if (!('file' in key)) continue;
    files.set(resolve(folder, key.file), 'key-file');
    if (key.passwordFile !== undefined) files.set(resolve(folder, key.passwordFile), 'password-file');
  }
  const issues = [...files].flatMap(([file, check]) => {
    const outcome =
      checkFileAccess({ file, use: 'secret', whenShared: 'warning' }) ??
      fail(`${file} does not exist`, 'Mount it, or correct its path in the credentials file.');
    return typeof outcome === 'string' ? [] : [{ check, issue: outcome }];
  });
  return { issues, total: files.size };
});

async function showFirst(context: Configured, kind: string): Promise<readonly Outcome[]> {
  const shown = (await findKeyFileIssues(context)).issues.slice(0, MAX_KEY_FILES);
  return shown.filter(({ check }) => check === kind).map(({ issue }) => issue);
}

/** The first are enough if hundreds share one cause, such as a volume that is not mounted. */
async function summarize(context: Configured): Promise<readonly Outcome[]> {
  const { issues, total } = await findKeyFileIssues(context);
  const rest = issues.slice(MAX_KEY_FILES);
  const more: Issue = {
    state: rest.some(({ issue }) => issue.state === 'fail') ? 'fail' : 'warning',
    message: `${rest.length} more of ${total} key and password files have issues`,
    remedy: 'Fix the listed ones, then run this again.',
  };
  const okCount = total - issues.length;
  const accessible = `${okCount} of ${total} key and password files are accessible only to this user; none was opened`;
  return [...(rest.length === 0 ? [] : [more]), ...(okCount === 0 ? [] : [accessible])];
}
