import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { JsonValue } from '../../../domain/model/json.ts';
import type { PermissionEntry } from '../../../domain/model/permission-entry.ts';
import { canonicalJson } from '../../../domain/payload/jcs.ts';
import type { AccountEntry } from './account-schema.ts';
import type { CredentialFault } from './credential-fault.ts';
import { readCredentialsFile } from './credentials-file.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import type { PlatformEntry } from './platform-schema.ts';
import { masterKeyIdsOf } from './sealed-counts.ts';

/** Whether keys may stand in the credentials file as they are. */
export interface PlaintextPolicy {
  /** Setting SIGNING_ALLOW_PLAINTEXT_KEYS. */
  readonly allowPlaintextKeys: boolean;
  /**
   * Whether this is production, where plaintext keys are refused whatever is allowed, and so is a
   * file that other users can change.
   */
  readonly production: boolean;
}

/** A credentials file in which nothing is wrong but, perhaps, the keys. */
export interface CheckedCredentials {
  readonly platforms: readonly PlatformEntry[];
  readonly accounts: readonly AccountEntry[];
  /** Null where the file has no such list. */
  readonly permissions: readonly PermissionEntry[] | null;
  /**
   * `sha256:<64 hex>` of the list's canonical JSON (RFC 8785) in UTF-8; null where the file has no
   * such list.
   */
  readonly permissionsDigest: string | null;
  /** Ids of the master keys that its sealed keys name. */
  readonly masterKeyIds: ReadonlySet<string>;
  /** Paths of the files in which accounts have their keys, and of the passwords of these, each once. */
  readonly keyFiles: readonly string[];
  /** `sha256:<64 hex>` of the file's bytes. */
  readonly digest: string;
}

/**
 * Reads and checks a credentials file in one go. @throws CredentialLoadError that names the first
 * 20 faults, and no value from the file but short ids of accounts
 */
export async function readCheckedCredentials(file: string, policy: PlaintextPolicy): Promise<CheckedCredentials> {
  const { content, digest } = await readCredentialsFile(file, {
    check: (read) => plaintextFaults(read, policy),
    production: policy.production,
  });
  const { platforms, accounts, permissions = null } = content;
  const keyFiles = keyFilesOf(accounts, dirname(file));
  const permissionsDigest = permissions === null ? null : sha256(canonicalJson(permissions as unknown as JsonValue));
  const masterKeyIds = masterKeyIdsOf(content);
  return { platforms, accounts, permissions, permissionsDigest, masterKeyIds, keyFiles, digest };
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function keyFilesOf(accounts: readonly AccountEntry[], folder: string): readonly string[] {
  const files = new Set<string>();
  for (const { key } of accounts) {
    if (!('file' in key)) continue;
    for (const file of [key.file, key.passwordFile]) if (file !== undefined) files.add(resolve(folder, file));
  }
  return [...files];
}

function plaintextFaults(
  { accounts }: CredentialsContent,
  { allowPlaintextKeys, production }: PlaintextPolicy,
): readonly CredentialFault[] {
  if (allowPlaintextKeys && !production) return [];
  const message = production
    ? 'is refused in production, whatever SIGNING_ALLOW_PLAINTEXT_KEYS says; import the key with `signing-service account add --key-file`'
    : 'is refused unless SIGNING_ALLOW_PLAINTEXT_KEYS=true, which is for development only; import the key with `signing-service account add --key-file`';
  return accounts.flatMap(({ key }, index) =>
    'plaintext' in key ? [{ path: ['accounts', index, 'key', 'plaintext'], message }] : [],
  );
}
