import { z } from 'zod';
import type { JsonObject } from '../../domain/model/json.ts';

const PLAIN = /^[^\s"=,[\]{}\\]+$/;

const names = z.array(z.string());
const counts = z.record(z.string(), z.number());
const keyIds = z.object({ account: z.string(), keyId: z.string(), previousKeyId: z.string() });
const fields = names.optional();
const accountEntries = z.array(z.object({ account: z.string(), fields }));
const platformEntries = z.array(z.object({ platform: z.string(), fields }));
const ruleEntries = z.array(z.object({ name: z.string(), fields }));
const rules = z.object({ added: ruleEntries, removed: ruleEntries, changed: ruleEntries, more: counts });
const digests = z.object({
  permissionsDigest: z.string().nullable(),
  policiesDigest: z.string().nullable(),
  budgetsDigest: z.string().nullable(),
  masterKeyIds: names,
});

/** The parts of a successful reload's data that are shown. */
const reloadData = digests.extend({
  accounts: z.object({
    ...{ added: names, removed: names, rekeyed: accountEntries, disabled: names, enabled: names },
    ...{ changed: accountEntries, more: counts },
  }),
  keys: z.object({ replaced: z.array(keyIds) }),
  platforms: z.object({
    ...{ added: names, removed: names, changed: names, changedFields: platformEntries.default([]), more: counts },
  }),
  policies: rules,
  budgets: rules,
  permissions: z.object({ added: z.number(), removed: z.number(), principals: names, more: counts }),
  previous: digests,
});

type ReloadData = z.infer<typeof reloadData>;
type Entry =
  | string
  | ({ readonly [Name in 'account' | 'platform' | 'name']?: string } & {
      readonly fields?: readonly string[] | undefined;
    });
type Lists = { readonly more: ReloadData['permissions']['more'] };

const failureData = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })).min(1) });

/** Why a reload failed: `accounts[1].key is missing`. Null for other data. Not escaped. */
export function formatReloadIssues(data: JsonObject): string | null {
  const parsed = failureData.safeParse(data);
  if (!parsed.success) return null;
  return parsed.data.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
}

/**
 * What a reload changed: `accounts added alpha/new,+7; policies changed orders`. Null for data
 * without these lists, such as of older releases. Not escaped.
 * @param maxNames of each list; the rest is counted
 */
export function formatReloadChanges(data: JsonObject, maxNames = Number.POSITIVE_INFINITY): string | null {
  const parsed = reloadData.safeParse(data);
  if (!parsed.success) return null;
  const { keys, policies, budgets } = parsed.data;
  const { changedFields, ...platforms } = parsed.data.platforms;
  const accounts = {
    ...parsed.data.accounts,
    rekeyed: parsed.data.accounts.rekeyed.map((entry) => withKeyIds(entry, keys)),
  };
  const changed = platforms.changed.map((id) => changedFields.find(({ platform }) => platform === id) ?? id);
  const lists = { accounts, platforms: { ...platforms, changed }, policies, budgets };
  const changes = [
    ...Object.entries<Lists>(lists).flatMap(([what, lists]) => formatLists(what, lists, maxNames)),
    ...formatPermissions(parsed.data, maxNames),
    ...formatOrders(parsed.data),
    ...formatMasterKeys(parsed.data),
  ];
  return changes.length === 0 ? 'no changes' : changes.join('; ');
}

/** A name or value on a line; quoted as JSON if it could be mistaken for several. */
export function quoteIfNeeded(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

/** Names the previous and the new key, in place of changed fields. */
function withKeyIds({ account }: { readonly account: string }, { replaced }: ReloadData['keys']) {
  const ids = replaced.find((key) => key.account === account);
  return { account, ...(ids !== undefined && { fields: [`${ids.previousKeyId}->${ids.keyId}`] }) };
}

function formatLists(what: string, { more, ...lists }: Lists, maxNames: number): readonly string[] {
  return Object.entries<readonly Entry[]>(lists)
    .map(([list, entries]) => [list, formatNames(entries.map(formatEntry), maxNames, more[list])] as const)
    .filter(([, text]) => text !== '')
    .map(([list, text]) => `${what} ${list} ${text}`);
}

function formatEntry(entry: Entry): string {
  if (typeof entry === 'string') return quoteIfNeeded(entry);
  const { account, platform, name, fields } = entry;
  const suffix = fields === undefined ? '' : `(${fields.map(quoteIfNeeded).join(',')})`;
  return `${quoteIfNeeded(account ?? platform ?? name ?? '')}${suffix}`;
}

function formatNames(entries: readonly string[], maxNames: number, more = 0): string {
  const shown = entries.slice(0, maxNames);
  const rest = entries.length - shown.length + more;
  return [...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(',');
}

function formatPermissions(
  { permissions, permissionsDigest, previous }: ReloadData,
  maxNames: number,
): readonly string[] {
  const { added, removed, principals, more } = permissions;
  const [hadList, hasList] = [previous.permissionsDigest !== null, permissionsDigest !== null];
  const list = hadList === hasList ? [] : [`permissions list ${hasList ? 'added' : 'removed'}`];
  if (added === 0 && removed === 0) return list;
  const shown = formatNames(principals.map(quoteIfNeeded), maxNames, more['principals']);
  return [...list, `permissions +${added} -${removed} ${shown}`];
}

/** Lists whose entries are equal, but not their order. */
function formatOrders(data: ReloadData): readonly string[] {
  const { previous, permissions, policies, budgets } = data;
  const isPermitted = permissions.added > 0 || permissions.removed > 0;
  const isListed = previous.permissionsDigest !== null && data.permissionsDigest !== null;
  const orders = {
    permissions: !isPermitted && isListed && previous.permissionsDigest !== data.permissionsDigest,
    policies: isSame(policies) && previous.policiesDigest !== data.policiesDigest,
    budgets: isSame(budgets) && previous.budgetsDigest !== data.budgetsDigest,
  };
  return Object.entries(orders).flatMap(([what, hasChanged]) => (hasChanged ? [`order of ${what}`] : []));
}

function isSame({ more, ...lists }: z.infer<typeof rules>): boolean {
  return Object.values(lists).every(({ length }) => length === 0) && Object.values(more).every((count) => count === 0);
}

function formatMasterKeys({ previous, masterKeyIds }: ReloadData): readonly string[] {
  const [before, after] = [previous.masterKeyIds, masterKeyIds].map((ids) => ids.map(quoteIfNeeded).join(','));
  if (before === after) return [];
  return [before === '' ? `master keys ${after}` : `master keys ${before} -> ${after === '' ? '-' : after}`];
}
