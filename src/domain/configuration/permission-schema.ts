import { z } from 'zod';
import { isAccountOperation, OPERATIONS } from '../model/operations.ts';
import { listOperations, type PermissionEntry } from '../model/permissions.ts';
import { WILDCARD } from '../model/text/wildcard-pattern.ts';

/** List bounds: thousands of callers, and cheap to reload. */
const MAX_ENTRIES = 4096;
const MAX_PRINCIPALS = 256;
const MAX_ACCOUNTS = 4096;
const MAX_PATTERNS = 65_536;

/** `PRINCIPAL_PATTERN` with `*` anywhere; covers `anonymous`. */
const PRINCIPALS_PATTERN = /^[A-Za-z0-9*](?:[A-Za-z0-9._:@/=+, *-]{0,254}[A-Za-z0-9._:@/=+,*-])?$/;

/** `IDENTIFIER_PATTERN` with `*` anywhere, twice, separated by a slash. */
const ACCOUNTS_PATTERN = /^[A-Za-z0-9*][A-Za-z0-9._:@+*-]{0,127}\/[A-Za-z0-9*][A-Za-z0-9._:@+*-]{0,127}$/;

const NO_DUPLICATES = { error: 'must not have duplicates' };

/** Names of callers, with wildcards. */
export const principalsSchema = z
  .array(
    z
      .string()
      .regex(
        PRINCIPALS_PATTERN,
        'must be 1 to 256 letters, digits, spaces or . _ : @ / = + , - and start with a letter or digit; * matches any characters',
      ),
  )
  .min(1, 'must name at least one principal')
  .max(MAX_PRINCIPALS, `must name at most ${MAX_PRINCIPALS} principals; add another entry for the rest`)
  .refine(isWithoutDuplicates, NO_DUPLICATES)
  .meta({ uniqueItems: true })
  .describe(
    'Authenticated caller names, from token or certificate; * matches any characters. anonymous matches unauthenticated callers; ' +
      '* never does.',
  );

/** Names of accounts, with wildcards. */
export const accountsSchema = z
  .array(
    z
      .string()
      .regex(
        ACCOUNTS_PATTERN,
        'must be platformId/accountId, where * matches any characters; */* matches all accounts',
      ),
  )
  .min(1, 'must name at least one account')
  .max(MAX_ACCOUNTS, `must name at most ${MAX_ACCOUNTS} accounts; add another entry for the rest`)
  .refine(isWithoutDuplicates, NO_DUPLICATES)
  .meta({ uniqueItems: true })
  .describe(
    'Accounts as platformId/accountId; * matches any characters in either, such as beta/*. Required for sign, verify, read and *; ' +
      'reload and status concern no account.',
  );

const operations = z
  .array(z.enum([...OPERATIONS, WILDCARD]))
  .min(1, 'must name at least one operation')
  .refine(isWithoutDuplicates, NO_DUPLICATES)
  .refine(
    (names) => names.length === 1 || !names.includes(WILDCARD),
    `must be ["${WILDCARD}"] alone to allow all operations`,
  )
  .meta({ uniqueItems: true })
  .describe(
    'Operations: sign (also in batches), verify, read (list and single view of accounts), reload, status; * alone for all.',
  );

const permission = z
  .strictObject({ principals: principalsSchema, accounts: accountsSchema.optional(), operations })
  .superRefine((entry, context) => {
    const message = findAccountsIssue(entry);
    if (message !== null) context.addIssue({ code: 'custom', path: ['accounts'], message });
  });

export const permissionsSchema = z
  .array(permission)
  .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries; combine principals and accounts in one`)
  .refine((entries) => patternCount(entries) <= MAX_PATTERNS, {
    error: `must name at most ${MAX_PATTERNS} principals and accounts in total; use *`,
  })
  .describe(
    'Permissions of callers. Without this list every caller may do everything; with it, even an empty one, callers may do only what an entry allows.',
  );

/** Conflict between an entry's accounts and operations, or null. */
function findAccountsIssue(entry: PermissionEntry): string | null {
  const isAboutAccounts = listOperations(entry).some(isAccountOperation);
  if (isAboutAccounts && entry.accounts === undefined) {
    return 'is missing: sign, verify, read and * require accounts, or */* for all';
  }
  if (!isAboutAccounts && entry.operations.length > 0 && entry.accounts !== undefined) {
    return 'has no effect, because reload and status concern no account; remove it, or add sign, verify or read';
  }
  return null;
}

function patternCount(entries: readonly PermissionEntry[]): number {
  return entries.reduce((count, { principals: names, accounts: ids = [] }) => count + names.length + ids.length, 0);
}

function isWithoutDuplicates(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
