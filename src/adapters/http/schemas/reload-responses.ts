import { z } from 'zod';
import { MAX_LISTED } from '../../../domain/services/registry-changes.ts';
import { count, extensibleEnum, isoDateTime } from './response-fields.ts';

/** Makes arrays read-only, as in the domain. */
type Immutable<Type> = { readonly [Name in keyof Type]: ImmutableMember<Type[Name]> };
type ImmutableMember<Member> = Member extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : Member extends object
    ? Immutable<Member>
    : Member;

const account = z.string().describe('`platformId/accountId`');
const platform = z.string().describe('A platformId.');
const publicKey = z.string().describe('In the text form of its algorithm; of HMAC accounts the id of the secret.');
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

function boundedList<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).max(MAX_LISTED);
}

/** An issue and its path. */
export const issue = z.object({
  path: z.string().describe('The field, such as `requests[3].platformId`; empty for the whole.'),
  message: z.string().describe('What it should be; for people.'),
});

/** `data` of `POST /config/reload`: the specification's Reload result, with the changes by name. */
export const reloadResponse = z.object({
  reloadedAt: isoDateTime.describe('When the reading began, ISO 8601 UTC.'),
  changes: z
    .object({ added: count, updated: count, removed: count })
    .describe('Accounts; updated when a visible field, the key or the platform changed.'),
  accountCount: count.describe('Accounts after the reload.'),
  platformCount: count.describe('Platforms after the reload.'),
  accounts: z
    .object({
      added: boundedList(account),
      removed: boundedList(account),
      rekeyed: boundedList(z.object({ account, previousPublicKey: publicKey, publicKey })).describe(
        'They have another key.',
      ),
      disabled: boundedList(account).describe('They were active before.'),
      enabled: boundedList(account).describe('They were disabled before.'),
      more: z
        .object({ added: count, removed: count, rekeyed: count, disabled: count, enabled: count })
        .describe('How many accounts each list leaves out.'),
    })
    .describe(`Accounts by what changed, in configured order, at most ${MAX_LISTED} in each list.`),
  platforms: z
    .object({
      added: boundedList(platform),
      removed: boundedList(platform),
      changed: boundedList(platform).describe('They have another format, payload rule or other property.'),
      more: z
        .object({ added: count, removed: count, changed: count })
        .describe('How many platforms each list leaves out.'),
    })
    .describe(`Platforms by what changed, in configured order, at most ${MAX_LISTED} in each list.`),
  configurationDigest: digest.nullable().describe('SHA-256 of the credentials file.'),
  permissionCount: count.nullable().describe('Entries of the permissions list; null without a list.'),
  permissionsDigest: digest
    .nullable()
    .describe('SHA-256 of the permissions list in the form of RFC 8785; null without a list.'),
  policyCount: count.describe('Policies.'),
  policiesDigest: digest
    .nullable()
    .describe('SHA-256 of the canonical JSON (RFC 8785) of the policies; null without policies.'),
  budgetCount: count.describe('Budgets.'),
  budgetsDigest: digest
    .nullable()
    .describe('SHA-256 of the canonical JSON (RFC 8785) of the budgets; null without budgets.'),
  masterKeyIds: z
    .array(z.string())
    .describe('Ids of the master keys that keys of accounts are sealed under, as sealed keys name them; never a key.'),
});

/** See {@link reloadResponse}. */
export type ReloadResponse = Immutable<z.infer<typeof reloadResponse>>;

/** The result of loading the configuration. */
export const reloadReport = z.object({
  at: isoDateTime,
  trigger: extensibleEnum(['start', 'request', 'signal', 'watch']).describe('What made the file be read.'),
  outcome: z.enum(['success', 'failed']),
  issues: z.array(issue).describe('What is wrong; empty after a success.'),
});

/** See {@link reloadReport}. */
export type ReloadReport = z.infer<typeof reloadReport>;
