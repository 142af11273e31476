import { z } from 'zod';
import type { Immutable } from '../../../domain/model/json.ts';
import { count, issue } from '../../../domain/model/refusal.ts';
import { CHANGED_FIELDS } from '../../../domain/services/registry-difference.ts';
import { MAX_LISTED, MAX_LISTED_KEYS } from '../../../domain/services/reload-description.ts';
import { extensibleEnum, isoDateTime } from './response-fields.ts';

const account = z.string().describe('`platformId/accountId`');
const platform = z.string().describe('`platformId`');
const publicKey = z.string().describe('Public key in the form of `GET /accounts/{platformId}/{accountId}`.');
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const keyId = z.string().describe('`keyId` of `GET /accounts/{platformId}/{accountId}`.');

function boundedList<Entry extends z.ZodType>(entry: Entry, max = MAX_LISTED) {
  return z.array(entry).max(max);
}

/** Lists, and in `more` how many entries each omits. */
function withMore<Lists extends z.ZodRawShape>(lists: Lists, kind: string) {
  const counts = Object.fromEntries(Object.keys(lists).map((name) => [name, count])) as {
    readonly [Name in keyof Lists]: typeof count;
  };
  return z.object({ ...lists, more: z.object(counts).describe(`Number of ${kind} omitted from each list.`) });
}

const changedFields = z.array(z.string()).describe('Members that differ; of objects their own: `send.origins`.');
const name = z.string().describe('Name in the credentials file.');
const definitionDigest = digest.describe('SHA-256 of the canonical JSON (RFC 8785) of the definition.');

function namedRules(kind: string) {
  const rule = z.object({ name, digest: definitionDigest });
  const changed = z.object({ name, fields: changedFields, previousDigest: definitionDigest, digest: definitionDigest });
  return withMore(
    { added: boundedList(rule), removed: boundedList(rule), changed: boundedList(changed) },
    kind,
  ).describe(`Names and digests of ${kind} by kind of change, in configured order. Limit: ${MAX_LISTED} in each list.`);
}

/** `data` of `POST /config/reload`: the specification's Reload result, with the changes by name. */
export const reloadResponse = z.object({
  reloadedAt: isoDateTime.describe('Start of the reload, ISO 8601 UTC.'),
  changes: z
    .object({ added: count, updated: count, removed: count })
    .describe('Number of accounts. Updated means that a field, the key or the platform changed.'),
  accountCount: count.describe('Number of accounts after the reload.'),
  platformCount: count.describe('Number of platforms after the reload.'),
  accounts: withMore(
    {
      added: boundedList(account),
      removed: boundedList(account),
      rekeyed: boundedList(z.object({ account, previousPublicKey: publicKey, publicKey })).describe(
        'Accounts with a new key.',
      ),
      disabled: boundedList(account).describe('Accounts that changed from active to disabled.'),
      enabled: boundedList(account).describe('Accounts that changed from disabled to active.'),
      changed: boundedList(z.object({ account, fields: z.array(extensibleEnum(CHANGED_FIELDS)) })).describe(
        'Accounts with changes other than of key and status, and the changed fields. `platform`: its platform is in `platforms.changed`; accounts with this change only come last.',
      ),
    },
    'accounts',
  ).describe(`Accounts by kind of change, in configured order. Limit: ${MAX_LISTED} in each list.`),
  keys: withMore(
    {
      added: boundedList(z.object({ account, keyId }), MAX_LISTED_KEYS),
      replaced: boundedList(z.object({ account, keyId, previousKeyId: keyId }), MAX_LISTED_KEYS),
      removed: boundedList(z.object({ account, keyId }), MAX_LISTED_KEYS),
    },
    'accounts',
  ).describe(
    `Keys of added, rekeyed and removed accounts by their short names in audit records. Limit: ${MAX_LISTED_KEYS} in each list.`,
  ),
  platforms: withMore(
    {
      added: boundedList(platform),
      removed: boundedList(platform),
      changed: boundedList(platform).describe('Platforms with a changed format, payload rule or other property.'),
      changedFields: boundedList(z.object({ platform, fields: changedFields })).describe('What changed of `changed`.'),
    },
    'platforms',
  ).describe(`Platforms by kind of change, in configured order. Limit: ${MAX_LISTED} in each list.`),
  policies: namedRules('policies'),
  budgets: namedRules('budgets'),
  permissions: z
    .object({
      added: count,
      removed: count,
      principals: boundedList(z.string()).describe(`Principals of these entries. Limit: ${MAX_LISTED}.`),
      more: z.object({ principals: count }).describe('Number of principals omitted from the list.'),
    })
    .describe('Numbers of permission entries. A changed entry counts as a removed and an added one.'),
  previous: z
    .object({
      configurationDigest: digest.nullable(),
      permissionsDigest: digest.nullable(),
      policiesDigest: digest.nullable(),
      budgetsDigest: digest.nullable(),
      masterKeyIds: z.array(z.string()),
    })
    .describe('Values of the replaced configuration; null or empty at the start.'),
  keysDigest: digest
    .nullable()
    .describe(
      'SHA-256 of which key each account has: of a line `platformId/accountId keyId` for each account, in configured order; null without accounts.',
    ),
  configurationDigest: digest.nullable().describe('SHA-256 of the credentials file.'),
  permissionCount: count.nullable().describe('Number of permission entries; null without a permissions list.'),
  permissionsDigest: digest
    .nullable()
    .describe('SHA-256 of the canonical JSON (RFC 8785) of the permissions list; null without one.'),
  policyCount: count.describe('Number of policies.'),
  policiesDigest: digest
    .nullable()
    .describe('SHA-256 of the canonical JSON (RFC 8785) of the policies; null without policies.'),
  budgetCount: count.describe('Number of budgets.'),
  budgetsDigest: digest
    .nullable()
    .describe('SHA-256 of the canonical JSON (RFC 8785) of the budgets; null without budgets.'),
  masterKeyIds: z
    .array(z.string())
    .describe('IDs of the master keys under which account keys are sealed, as in the sealed keys; never a key itself.'),
});

/** See {@link reloadResponse}. */
export type ReloadResponse = Immutable<z.infer<typeof reloadResponse>>;

/** The result of loading the configuration. */
export const reloadReport = z.object({
  at: isoDateTime,
  trigger: extensibleEnum(['start', 'request', 'signal', 'watch']).describe(
    'What triggered the load: the start, a request, a signal or a file change.',
  ),
  outcome: z.enum(['success', 'failed']),
  issues: z.array(issue).describe('Issues of a failed load; empty after a success.'),
});

/** See {@link reloadReport}. */
export type ReloadReport = z.infer<typeof reloadReport>;
