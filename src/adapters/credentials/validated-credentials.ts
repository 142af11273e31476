import { dirname, resolve } from 'node:path';
import type { CredentialIssue } from '../../domain/configuration/credential-issue.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { toAccountName } from '../../domain/model/account.ts';
import { MAX_NAMED } from '../../domain/model/account-issues.ts';
import type { ConfiguredAccount } from '../../domain/model/configured-account.ts';
import type { JsonValue } from '../../domain/model/json.ts';
import type { PermissionEntry } from '../../domain/model/permissions.ts';
import type { Platform } from '../../domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../../domain/model/policy.ts';
import { canonicalJson } from '../../domain/model/text/jcs.ts';
import { sha256Of } from '../node/sha256.ts';
import { readCredentialsFile } from './credentials-file.ts';
import { getSealingKeyId } from './sealed-key-text.ts';

/** Number of accounts sealed under each master key id. */
export function countSealedKeys({ accounts }: CredentialsContent): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of accounts) {
    if (!('sealed' in key)) continue;
    const id = getSealingKeyId(key.sealed);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Master keys under which accounts are sealed, and which a ring lacks. */
export function listMissingKeys(
  content: CredentialsContent,
  ring: readonly { readonly id: string }[],
): readonly { readonly id: string; readonly accounts: number }[] {
  const missing = [...countSealedKeys(content)].filter(([id]) => ring.every((line) => line.id !== id));
  return missing.map(([id, accounts]) => ({ id, accounts }));
}

/** Accounts that need a master key. */
interface SealedAccounts {
  /** The first ones. */
  readonly names: readonly string[];
  readonly count: number;
  /** Of all accounts. */
  readonly total: number;
}

function findSealedAccounts(accounts: readonly ConfiguredAccount[]): SealedAccounts {
  const sealed = accounts.filter(({ key }) => 'sealed' in key);
  return { names: sealed.slice(0, MAX_NAMED).map(toAccountName), count: sealed.length, total: accounts.length };
}

/** Whether plaintext keys are allowed. */
export interface PlaintextPolicy {
  /** Setting SIGNING_ALLOW_PLAINTEXT_KEYS. */
  readonly allowPlaintextKeys: boolean;
  /** Rejects plaintext keys regardless, and a file that other users can change. */
  readonly production: boolean;
}

/** A valid credentials file; its keys are not checked. */
export interface ValidatedCredentials {
  readonly platforms: readonly Platform[];
  readonly accounts: readonly ConfiguredAccount[];
  /** Null if the file has no list. */
  readonly permissions: readonly PermissionEntry[] | null;
  /** `sha256:<64 hex>` of the list's canonical JSON (RFC 8785); null if there is none. */
  readonly permissionsDigest: string | null;
  readonly policies: readonly PolicyEntry[];
  /** Of the policies, in the same way; null if there are none. */
  readonly policiesDigest: string | null;
  readonly budgets: readonly BudgetEntry[];
  /** Of the budgets, in the same way; null if there are none. */
  readonly budgetsDigest: string | null;
  readonly masterKeyIds: ReadonlySet<string>;
  readonly sealedAccounts: SealedAccounts;
  /** Unique paths of key files and their password files. */
  readonly keyFiles: readonly string[];
  /** `sha256:<64 hex>` of the file's bytes. */
  readonly digest: string;
}

/**
 * {@link readCredentialsFile} with the policy's checks.
 * @throws CredentialLoadError
 */
export async function readValidatedCredentials(file: string, policy: PlaintextPolicy): Promise<ValidatedCredentials> {
  const { content, digest } = await readCredentialsFile(file, {
    check: (read) => plaintextIssues(read, policy),
    production: policy.production,
  });
  const { platforms, accounts, permissions = null, policies = [], budgets = [] } = content;
  const keyFiles = listKeyFiles(accounts, dirname(file));
  return {
    ...{ platforms, accounts, permissions, policies, budgets, keyFiles, digest },
    permissionsDigest: permissions === null ? null : digestOf(permissions),
    policiesDigest: policies.length === 0 ? null : digestOf(policies),
    budgetsDigest: budgets.length === 0 ? null : digestOf(budgets),
    masterKeyIds: new Set(countSealedKeys(content).keys()),
    sealedAccounts: findSealedAccounts(accounts),
  };
}

function digestOf(entries: readonly (PermissionEntry | PolicyEntry | BudgetEntry)[]): string {
  return sha256Of(canonicalJson(entries as unknown as JsonValue));
}

/** Unique paths of key files and their password files, relative to this folder. */
export function listKeyFiles(accounts: readonly ConfiguredAccount[], folder: string): readonly string[] {
  const files = new Set<string>();
  for (const { key } of accounts) {
    if (!('file' in key)) continue;
    for (const file of [key.file, key.passwordFile]) if (file !== undefined) files.add(resolve(folder, file));
  }
  return [...files];
}

function plaintextIssues(
  { accounts }: CredentialsContent,
  { allowPlaintextKeys, production }: PlaintextPolicy,
): readonly CredentialIssue[] {
  if (allowPlaintextKeys && !production) return [];
  const message = production
    ? 'is rejected in production, regardless of SIGNING_ALLOW_PLAINTEXT_KEYS; import the key with `signing-service account add --key-file`'
    : 'is rejected unless SIGNING_ALLOW_PLAINTEXT_KEYS=true, which is for development only; import the key with `signing-service account add --key-file`';
  return accounts.flatMap(({ key }, index) =>
    'plaintext' in key ? [{ path: ['accounts', index, 'key', 'plaintext'], message }] : [],
  );
}
