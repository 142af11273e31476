import { listSegments } from '../../adapters/audit/segments/segment-names.ts';
import { checkDiskSpace, checkSeparateFolders } from '../../adapters/machine/disk-space.ts';
import { checkFileAccess, type GuardedFile } from '../../adapters/machine/file-access.ts';
import { fail, type Outcome } from '../../adapters/machine/outcome.ts';
import type { Settings } from '../settings/settings.ts';
import type { Configured, Row } from './rows.ts';

/** Files of one purpose, with restricted access. */
interface GuardedFiles extends Omit<GuardedFile, 'file'> {
  readonly check: string;
  /** Their paths. */
  list(settings: Settings): readonly (string | null | undefined)[] | Promise<readonly string[]>;
  /** For a missing file; other checks report it if absent. */
  whenMissing?(file: string): Outcome;
}

const SECRET = { use: 'secret', whenShared: 'warning' } as const;
/** Opens other secrets or signs. */
const KEY = { use: 'secret', whenShared: 'fail' } as const;
const TRUSTED = { use: 'trusted', whenShared: 'warning' } as const;

/** All files with restricted access, except key files that the credentials file names. */
const GUARDED: readonly GuardedFiles[] = [
  {
    check: 'credentials-file',
    ...SECRET,
    list: ({ credentialsFile }) => [credentialsFile],
    whenMissing: (file) => createOrSet(file, 'SIGNING_CREDENTIALS_FILE'),
  },
  {
    check: 'master-key',
    ...KEY,
    list: ({ masterKeyFile }) => [masterKeyFile],
    whenMissing: (file) =>
      createOrSet(file, 'SIGNING_MASTER_KEY_FILE', ' A new one cannot open keys sealed under another.'),
  },
  {
    check: 'audit-key',
    ...KEY,
    list: ({ auditKeyFile }) => [auditKeyFile],
    whenMissing: (file) => createOrSet(file, 'SIGNING_AUDIT_KEY_FILE'),
  },
  {
    // Auditors may read it through its group.
    check: 'audit-file',
    use: 'shared',
    whenShared: 'warning',
    list: async ({ auditFile }) => [(await listSegments(auditFile).catch(() => [])).at(-1)?.path ?? auditFile],
    whenMissing: (file) => `${file} does not exist yet: the first start creates it`,
  },
  { check: 'redis-password-file', ...SECRET, list: ({ redis }) => [redis?.passwordFile] },
  { check: 'tls-key-file', ...SECRET, list: ({ tls }) => [tls?.keyFile] },
  {
    check: 'client-trust-file',
    ...TRUSTED,
    list({ tls, forwardedCertificates }) {
      const clients = tls?.clients ?? forwardedCertificates?.clients;
      return [clients?.caFile, clients?.fingerprintsFile];
    },
  },
  {
    check: 'auth-key',
    ...KEY,
    list: ({ auth }) => (auth.mode === 'off' ? [] : [auth.keyFile]),
  },
  {
    check: 'auth-file',
    ...TRUSTED,
    list: ({ auth }) => (auth.mode === 'off' ? [] : [auth.authoritiesFile, auth.tokenFile]),
  },
];

function createOrSet(file: string, setting: string, note = ''): Outcome {
  return fail(
    `${file} does not exist`,
    `Run \`signing-service init\` to create it, or set ${setting} to its path.${note}`,
  );
}

/** Access to the files that settings name, and their places. */
export const FILE_ROWS: readonly Row<Configured>[] = [
  ...GUARDED.map(({ check, whenMissing, ...guarded }) => ({
    check,
    run: async ({ settings }: Configured) =>
      (await listFiles(guarded, settings)).flatMap(
        (file) => checkFileAccess({ ...guarded, file }) ?? whenMissing?.(file) ?? [],
      ),
  })),
  {
    check: 'kept-apart',
    run: ({ settings }) => checkSeparateFolders(settings.masterKeyFile, settings.credentialsFile),
  },
  { check: 'audit-room', run: ({ settings }) => checkDiskSpace(settings.auditFile) },
];

/** What is wrong with the access to existing files that settings name, with the check of each. */
export async function findExposedFiles(settings: Settings) {
  const found = await Promise.all(
    GUARDED.map(async ({ check, ...guarded }) =>
      (await listFiles(guarded, settings)).flatMap((file) => {
        const outcome = checkFileAccess({ ...guarded, file });
        return outcome === null || typeof outcome === 'string' ? [] : [{ check, ...outcome }];
      }),
    ),
  );
  return found.flat();
}

async function listFiles({ list }: Pick<GuardedFiles, 'list'>, settings: Settings): Promise<readonly string[]> {
  return (await list(settings)).flatMap((file) => file ?? []);
}
