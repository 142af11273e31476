import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/model/json.ts';
import { list, member, number } from './json-members.ts';

const PLAIN = /^[^\s"=,[\]{}\\]+$/;

/** Each has lists of what a reload changed. */
const GROUPS = ['accounts', 'platforms', 'policies', 'budgets'] as const;

/** Each has a digest, which also depends on the order of entries. */
const ORDERED = ['permissions', 'policies', 'budgets'] as const;

/**
 * Why a reload failed: `accounts[1].key is missing`. Null for other data. Not escaped.
 * @param maxIssues the rest is counted
 */
export function formatReloadIssues(data: JsonObject, maxIssues = Number.POSITIVE_INFINITY): string | null {
  const issues = list(data, 'issues').map((issue) =>
    [member(issue, 'path'), member(issue, 'message')].filter((part) => typeof part === 'string' && part).join(' '),
  );
  const more = issues.length > maxIssues ? [`and ${issues.length - maxIssues} more issues`] : [];
  return issues.length === 0 ? null : [...issues.slice(0, maxIssues), ...more].join('; ');
}

/**
 * What a reload changed: `accounts added alpha/new,+7; policies changed orders(when)`. Null for
 * data without these lists, such as of older releases. Not escaped.
 * @param maxNames of each list; the rest is counted
 */
export function formatReloadChanges(data: JsonObject, maxNames = Number.POSITIVE_INFINITY): string | null {
  if (![...GROUPS, 'permissions'].every((group) => isJsonObject(member(data, group, 'more')))) return null;
  const texts = new Map<string, readonly string[]>([
    ...GROUPS.map((group) => [group, formatLists(data, group, maxNames)] as const),
    ['permissions', formatPermissions(data, maxNames)],
  ]);
  const isMoved = (group: string) =>
    texts.get(group)?.length === 0 && data[`${group}Digest`] !== member(data, 'previous', `${group}Digest`);
  const orders = ORDERED.filter(isMoved).map((group) => `order of ${group}`);
  const changes = [...[...texts.values()].flat(), ...orders, ...formatMasterKeys(data)];
  return changes.length === 0 ? 'no changes' : changes.join('; ');
}

/** A name or value on a line; quoted as JSON if it could be mistaken for several. */
export function quoteIfNeeded(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

function formatLists(data: JsonObject, group: string, maxNames: number): readonly string[] {
  const { more, changedFields: _, ...lists } = data[group] as JsonObject;
  return Object.keys(lists).flatMap((name) => {
    const entries = list(lists, name).map((entry) => formatEntry(entry, listDetails(data, name, entry)));
    const text = formatNames(entries, maxNames, number(more, name));
    return text === '' ? [] : [`${group} ${name} ${text}`];
  });
}

/** Changed fields; of an account with another key, the previous and the new key. */
function listDetails(data: JsonObject, name: string, entry: JsonValue): readonly JsonValue[] {
  if (name === 'rekeyed') {
    const key = list(data, 'keys', 'replaced').find((ids) => member(ids, 'account') === member(entry, 'account'));
    return key === undefined ? [] : [`${member(key, 'previousKeyId')}->${member(key, 'keyId')}`];
  }
  if (isJsonObject(entry)) return list(entry, 'fields');
  return list(
    list(data, 'platforms', 'changedFields').find((changed) => member(changed, 'platform') === entry),
    'fields',
  );
}

function formatEntry(entry: JsonValue, details: readonly JsonValue[]): string {
  const name = isJsonObject(entry) ? (entry['account'] ?? entry['name']) : entry;
  const suffix = details.length === 0 ? '' : `(${details.map(quoted).join(',')})`;
  return `${quoted(name)}${suffix}`;
}

function quoted(value: JsonValue | undefined): string {
  return quoteIfNeeded(String(value));
}

function formatNames(entries: readonly string[], maxNames: number, more: number | null): string {
  const shown = entries.slice(0, maxNames);
  const rest = entries.length - shown.length + (more ?? 0);
  return [...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(',');
}

function formatPermissions(data: JsonObject, maxNames: number): readonly string[] {
  const { added, removed, more } = data['permissions'] as JsonObject;
  const [had, has] = [data['previous'], data].map((of) => typeof member(of, 'permissionsDigest') === 'string');
  const changes = had === has ? [] : [`permissions list ${has ? 'added' : 'removed'}`];
  if (added === 0 && removed === 0) return changes;
  const names = formatNames(list(data, 'permissions', 'principals').map(quoted), maxNames, number(more, 'principals'));
  return [...changes, `permissions +${added} -${removed} ${names}`];
}

function formatMasterKeys(data: JsonObject): readonly string[] {
  const [before, after] = [data['previous'], data].map((of) => list(of, 'masterKeyIds').map(quoted).join(','));
  if (before === after) return [];
  return [before === '' ? `master keys ${after}` : `master keys ${before} -> ${after === '' ? '-' : after}`];
}
