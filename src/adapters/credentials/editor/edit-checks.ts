import type { z } from 'zod';
import type { Algorithm } from '../../../domain/model/algorithm.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { FixedValues, PayloadRule } from '../../../domain/model/payload-rule.ts';
import { listRules } from '../../../domain/model/platform.ts';
import type { PolicyEntry } from '../../../domain/model/policy.ts';
import type { AccountDraft } from '../../../ports/credential-editor.ts';
import { findChecksumIssues } from '../checksum-issues.ts';
import { starknetAddressIssues } from '../conflict-issues.ts';
import { type CredentialIssue, listSchemaIssues, renderPath, schemaMessage } from '../credential-issue.ts';
import { toPlatform } from '../entry-defaults.ts';
import type { MasterKeyRing } from '../master-key/master-key-ring.ts';
import type { CredentialsContent } from '../schema/credentials-schema.ts';
import { bareHexMessage, isBareEthereumHex } from '../schema/platform-issues.ts';
import { type PlatformEntry, platformSchema } from '../schema/platform-schema.ts';
import { getMasterKeyId } from '../schema/sealed-key-text.ts';
import { formatAcceptedValues, missingValues, unusedValues } from '../schema/value-names.ts';

/** @throws EditRefusedError if the platform exists */
export function assertNewPlatform({ platforms }: CredentialsContent, platformId: string): void {
  if (platforms.every((entry) => entry.platformId !== platformId)) return;
  throw new EditRefusedError(`Platform ${quoted(platformId)} already exists; nothing was changed.`);
}

/** @throws EditRefusedError if there is no such platform */
export function assertPlatform({ platforms }: CredentialsContent, platformId: string): void {
  if (platforms.some((entry) => entry.platformId === platformId)) return;
  throw new EditRefusedError(`Platform ${quoted(platformId)} does not exist; nothing was changed.`);
}

/** Accounts that a message names at most. */
const MAX_NAMED = 5;

/** @throws EditRefusedError if the platform has accounts; it names them */
export function assertNoAccounts({ accounts }: CredentialsContent, platformId: string): void {
  const ids = accounts.filter((entry) => entry.platformId === platformId).map(({ accountId }) => accountId);
  if (ids.length === 0) return;
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  throw new EditRefusedError(
    `Platform ${quoted(platformId)} has ${ids.length === 1 ? 'an account' : 'accounts'}: ${ids.slice(0, MAX_NAMED).join(', ')}${more}; nothing was changed. ` +
      'Remove them first with `signing-service account disable` and `signing-service account remove`, which destroys their keys.',
  );
}

/** @throws EditRefusedError if there is a policy or budget of one of these names */
export function assertNewPolicies(
  { policies = [], budgets = [] }: CredentialsContent,
  added: readonly PolicyEntry[],
): void {
  const isTaken = (list: readonly { readonly name: string }[]) =>
    added.find(({ name }) => list.some((one) => one.name === name));
  const policy = isTaken(policies);
  const taken = policy ?? isTaken(budgets);
  if (taken === undefined) return;
  const kind = policy === undefined ? 'Budget' : 'Policy';
  throw new EditRefusedError(`${kind} ${quoted(taken.name)} already exists; nothing was changed.`);
}

/**
 * @throws EditRefusedError if the account exists, or its platform is missing or does not allow its
 * algorithm or values
 */
export function assertNewAccount(content: CredentialsContent, draft: AccountDraft): void {
  const { platformId, accountId, algorithm } = draft;
  const index = content.platforms.findIndex((entry) => entry.platformId === platformId);
  const platform = content.platforms[index];
  if (platform === undefined) {
    throw new EditRefusedError(
      `Platform ${quoted(platformId)} does not exist. Add it first with \`signing-service platform add\`.`,
    );
  }
  const { algorithms, ...allowed } = toPlatform(platform);
  const rules = listRules(allowed);
  if (!algorithms.includes(algorithm)) throw algorithmRefusal(platform, index, algorithm);
  if (isBareEthereumHex(toPlatform(platform), algorithm)) {
    throw new EditRefusedError(
      `Nothing was changed: ${bareHexMessage(platformId, [algorithm])} in the credentials file.`,
    );
  }
  assertValues(platformId, rules, draft.values);
  if (accountIndex(content, platformId, accountId) === -1) return;
  throw new EditRefusedError(
    `Account ${quoted(accountId)} already exists on platform ${quoted(platformId)}; nothing was changed.`,
  );
}

/** @throws EditRefusedError if an account of this platform may not have these values */
export function assertAccountValues({ platforms }: CredentialsContent, platformId: string, values: FixedValues): void {
  const platform = platforms.find((entry) => entry.platformId === platformId);
  if (platform !== undefined) assertValues(platformId, listRules(toPlatform(platform)), values);
}

function assertValues(platformId: string, rules: readonly PayloadRule[], values: FixedValues | undefined): void {
  // First: a misspelt value is also a missing one.
  const unnamed = unusedValues(rules, values);
  if (unnamed.length > 0) throw unnamedRefusal(platformId, unnamed, formatAcceptedValues(rules));
  const missing = missingValues(rules, values);
  if (missing.length > 0) throw missingRefusal(platformId, missing);
  const [wrong] = starknetAddressIssues([], values, rules);
  if (wrong !== undefined) {
    throw new EditRefusedError(`The value ${renderPath(wrong.path)} ${wrong.message}. Nothing was changed.`);
  }
}

/**
 * @throws EditRefusedError if a key is sealed under another master key: the file belongs to others
 */
export function assertReadableKeys({ accounts }: CredentialsContent, masterKeys: MasterKeyRing): void {
  for (const { key, accountId, platformId } of accounts) {
    const id = 'sealed' in key ? getMasterKeyId(key.sealed) : undefined;
    if (id === undefined || masterKeys.isReadable(id)) continue;
    throw new EditRefusedError(
      `Account ${quoted(accountId)} on platform ${quoted(platformId)} is sealed under master key ${id}, but ${masterKeys.describe()}. ` +
        'Nothing was changed.',
    );
  }
}

/** @throws EditRefusedError that names each invalid field */
export function assertEntry(schema: z.ZodType, entry: unknown): void {
  const { success, error } = schema.safeParse(entry, { error: schemaMessage });
  if (success) return;
  throw invalidEntry(listSchemaIssues(error.issues));
}

/** @throws EditRefusedError that names each invalid field */
export async function assertPlatformEntry(entry: unknown): Promise<void> {
  assertEntry(platformSchema, entry);
  const issues = await findChecksumIssues(entry);
  if (issues.length > 0) throw invalidEntry(issues);
}

function invalidEntry(issues: readonly CredentialIssue[]): EditRefusedError {
  const texts = issues.map(({ path, message }) => `${renderPath(path)} ${message}`);
  return new EditRefusedError(`Invalid entry: ${texts.join('; ')}. Nothing was changed.`);
}

/** Index of an account, or -1. */
export function accountIndex({ accounts }: CredentialsContent, platformId: string, accountId: string): number {
  return accounts.findIndex((entry) => entry.platformId === platformId && entry.accountId === accountId);
}

/** Index of an account. @throws EditRefusedError if missing */
export function existingIndex(content: CredentialsContent, platformId: string, accountId: string): number {
  const index = accountIndex(content, platformId, accountId);
  if (index !== -1) return index;
  throw new EditRefusedError(
    `No such account: ${quoted(accountId)} on platform ${quoted(platformId)}; nothing was changed.`,
  );
}

/** Quotes an operator's id, on one line. */
export function quoted(id: string): string {
  return JSON.stringify(id);
}

function algorithmRefusal(platform: PlatformEntry, index: number, algorithm: Algorithm): EditRefusedError {
  const { platformId, algorithms } = toPlatform(platform);
  const path = renderPath(['platforms', index, 'algorithms']);
  return new EditRefusedError(
    `Platform ${quoted(platformId)} does not allow ${algorithm}; its algorithms are ${algorithms.join(', ')}. Nothing was changed. ` +
      `Use another platform, or set ${path} in the credentials file to ${JSON.stringify([...algorithms, algorithm])}.`,
  );
}

function missingRefusal(platformId: string, missing: readonly string[]): EditRefusedError {
  const options = missing.map((name) => `--value ${name}=…`).join(' ');
  return new EditRefusedError(
    `The payload rule of platform ${quoted(platformId)} requires ${missing.join(', ')} of each account; set ${options}. Nothing was changed.`,
  );
}

function unnamedRefusal(platformId: string, unnamed: readonly string[], taken: string): EditRefusedError {
  const names = unnamed.map(quoted).join(', ');
  return new EditRefusedError(
    `The payload rule of platform ${quoted(platformId)} has no value named ${names}; ${taken}. Nothing was changed.`,
  );
}
