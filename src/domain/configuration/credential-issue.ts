import type { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../model/account.ts';
import type { InvalidAccount } from '../model/account-issues.ts';

/** Names and indices from the root of the file: `['accounts', 3, 'key']`. */
export type IssuePath = readonly (string | number)[];

/** An issue of the credentials file, not yet located. */
export interface CredentialIssue {
  readonly path: IssuePath;
  /** Problem and remedy; quotes nothing but field names. */
  readonly message: string;
  /** Position in the text, in UTF-16 code units; default: where `path` leads. */
  readonly offset?: number;
  /** As {@link InvalidAccount.shared}. */
  readonly shared?: string;
}

/** Formats a path: `accounts[3].key`. */
export function renderPath(path: IssuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Other names may be anything, such as a key pasted into the wrong place. */
const QUOTABLE_NAME = /^\$?[A-Za-z][A-Za-z0-9_]{0,23}$/;

/** Whether a message may quote an unknown field name. */
export function isQuotableName(name: string): boolean {
  return QUOTABLE_NAME.test(name);
}

type SchemaIssue = z.core.$ZodIssue;

const TYPE_NAMES: { readonly [name: string]: string } = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** Message for a schema issue without its own. zod's messages may quote the file. */
export function schemaMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is required';
  if (issue.code === 'invalid_type') return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union' && Array.isArray(issue['options'])) {
    return `must be one of ${issue['options'].map(String).join(', ')}`;
  }
  return 'is not allowed here';
}

/** Converts schema issues. Parse with {@link schemaMessage} as error option. */
export function listSchemaIssues(issues: readonly SchemaIssue[], root: IssuePath = []): readonly CredentialIssue[] {
  return issues.flatMap((issue) => toCredentialIssues(issue, root));
}

function toCredentialIssues(issue: SchemaIssue, root: IssuePath): readonly CredentialIssue[] {
  const path = [...root, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownField(path, name));
  // The invalid name is the path's last step and may be a secret.
  if (issue.code === 'invalid_key') return listSchemaIssues(issue.issues, path.slice(0, -1));
  if (issue.code === 'invalid_union') {
    const matching = issue.errors.filter((issues) => issues.every(({ code }) => code !== 'unrecognized_keys'));
    // Only one variant knows all fields: report its issues instead of the union's.
    if (matching.length === 1) return listSchemaIssues(matching[0] ?? [], path);
  }
  return [{ path, message: issue.message }];
}

function unknownField(path: IssuePath, name: string): CredentialIssue {
  if (!isQuotableName(name)) return { path, message: 'has an unknown field; remove it' };
  return { path: [...path, name], message: 'is an unknown field; check its spelling or remove it' };
}

/** Longer ids are hidden: they may be misplaced keys. */
const MAX_SHOWN_ID = 31;

/** The accounts of an unvalidated file, if any. */
export function listAccountEntries(written: unknown): readonly unknown[] {
  const accounts: unknown = isObject(written) ? Reflect.get(written, 'accounts') : undefined;
  return Array.isArray(accounts) ? accounts : [];
}

/** The account that an issue's path leads into, if any. */
export function invalidAccount(
  { path: [list, index, ...field], shared }: Pick<CredentialIssue, 'path' | 'shared'>,
  accounts: readonly unknown[],
): InvalidAccount | null {
  if (list !== 'accounts' || typeof index !== 'number') return null;
  const path = renderPath([list, index]);
  return { path, name: getAccountName(accounts[index]), field: renderPath(['', ...field]), shared };
}

function getAccountName(account: unknown): string | null {
  if (!isObject(account)) return null;
  const ids: readonly unknown[] = ['platformId', 'accountId'].map((name) => Reflect.get(account, name));
  return ids.every(isShownId) ? ids.join('/') : null;
}

function isShownId(id: unknown): boolean {
  return typeof id === 'string' && id.length <= MAX_SHOWN_ID && IDENTIFIER_PATTERN.test(id);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
