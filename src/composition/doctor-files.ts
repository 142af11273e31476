import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCredentialsFile } from '../adapters/driven/credential-source/credentials-file.ts';
import type { CredentialsContent } from '../adapters/driven/credential-source/credentials-schema.ts';
import { CredentialLoadError } from '../domain/model/errors.ts';
import { checkFileAccess, type GuardedFile } from '../machine/file-access.ts';
import { type Finding, fail, ok } from '../machine/finding.ts';
import { checkRoomForFile } from '../machine/room-for-file.ts';
import { checkSeparateFolders } from '../machine/separate-folders.ts';
import type { Settings } from './settings.ts';

/** The files that settings and credentials file name: whether they are there, right, and out of the reach of others. */
export async function checkFiles(settings: Settings): Promise<readonly Finding[]> {
  const { credentialsFile, masterKeyFile, auditFile } = settings;
  const credentials = await readCredentials(credentialsFile);
  return [
    ...credentials.findings,
    ...filesOf(settings).flatMap((file) => checkFileAccess(file)),
    ...checkKeyFiles(credentialsFile, credentials.content?.accounts ?? []),
    checkSeparateFolders(masterKeyFile, credentialsFile),
    checkRoomForFile('audit-room', auditFile),
  ];
}

interface Credentials {
  readonly content: CredentialsContent | null;
  readonly findings: readonly Finding[];
}

async function readCredentials(file: string): Promise<Credentials> {
  // What is missing or out of reach is said by the check of the file itself.
  if (!existsSync(file)) return { content: null, findings: [] };
  try {
    const { content } = await readCredentialsFile(file);
    const { platforms, accounts } = content;
    return { content, findings: [ok('credentials', `accounts: ${accounts.length}, platforms: ${platforms.length}`)] };
  } catch (error) {
    if (!(error instanceof CredentialLoadError)) throw error;
    return {
      content: null,
      findings: [fail('credentials', error.message, 'Correct the file; nothing of it is in force until it is right.')],
    };
  }
}

function filesOf({
  credentialsFile,
  masterKeyFile,
  previousMasterKeyFile,
  auditFile,
  tls,
}: Settings): readonly GuardedFile[] {
  const init = 'Run `signing-service init` to make it, or set';
  const files: GuardedFile[] = [
    {
      check: 'credentials-file',
      file: credentialsFile,
      whenShared: 'warning',
      whenMissing: {
        state: 'fail',
        message: `${credentialsFile} is not there`,
        remedy: `${init} SIGNING_CREDENTIALS_FILE to where it is.`,
      },
    },
    {
      check: 'master-key',
      file: masterKeyFile,
      whenShared: 'fail',
      whenMissing: {
        state: 'fail',
        message: `${masterKeyFile} is not there`,
        remedy: `${init} SIGNING_MASTER_KEY_FILE to where it is. A new one opens nothing that was sealed under another.`,
      },
    },
    { check: 'previous-master-key', file: previousMasterKeyFile, whenShared: 'fail', whenMissing: null },
    {
      check: 'audit-file',
      file: auditFile,
      whenShared: 'warning',
      groupMayRead: true,
      whenMissing: { state: 'ok', message: `${auditFile} will be made at the first start`, remedy: null },
    },
  ];
  // Whether it is there is part of the check of certificate and key together.
  if (tls !== null) files.push({ check: 'tls-key-file', file: tls.keyFile, whenShared: 'warning', whenMissing: null });
  return files;
}

/** Mounted secrets of Kubernetes are readable to all users of a container unless the operator says otherwise. */
function checkKeyFiles(credentialsFile: string, accounts: CredentialsContent['accounts']): readonly Finding[] {
  const folder = dirname(credentialsFile);
  const named = accounts.flatMap(({ key }) => {
    if (!('file' in key)) return [];
    return [['key-file', key.file], ...(key.passwordFile === undefined ? [] : [['password-file', key.passwordFile]])];
  });
  const files = new Map(named.map(([check = '', path = '']) => [resolve(folder, path), check]));
  const findings = [...files].flatMap(([file, check]) =>
    checkFileAccess({
      check,
      file,
      whenShared: 'warning',
      whenMissing: {
        state: 'fail',
        message: `${file} is not there`,
        remedy: 'Mount it, or correct its path in the credentials file.',
      },
    }),
  );
  // Of hundreds of files that are well, one line is enough.
  const worse = findings.filter(({ state }) => state !== 'ok');
  const well = findings.length - worse.length;
  return well === 0
    ? worse
    : [...worse, ok('key-files', `${well} of ${findings.length} key and password files are this user's alone`)];
}
