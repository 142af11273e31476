import { type Html, type HtmlPart, html } from '../documentation/html.ts';
import type { ActivityResponse, StatusResponse } from '../schemas/status-responses.ts';
import { ago, graded, plural } from './console-values.ts';

const TRIGGERS = {
  start: 'at the start',
  request: 'on request',
  signal: 'on a signal',
  watch: 'after a file change',
} as const;

/** The configuration: its last load, and what that changed or why it failed. */
export function reloadSection(
  { path, lastLoaded, isWatching, lastReload, reloads }: StatusResponse['config'],
  lastLoad: ActivityResponse['lastLoad'],
  now: number,
): Html {
  const failure = lastReload?.outcome === 'failed' && failedLoad(lastReload, now);
  const trigger = lastReload?.outcome === 'success' ? ` ${TRIGGERS[lastReload.trigger]}` : '';
  return html`<section aria-labelledby="configuration"><h2 id="configuration">Configuration <small>${path}</small></h2>
${failure}
<p>${lastLoaded === null ? 'Nothing is loaded.' : html`In force: loaded ${ago(lastLoaded, now)}${trigger}.`} ${plural(reloads.succeeded, 'load')} succeeded, ${plural(reloads.failed, 'load')} failed. File changes are ${isWatching ? 'loaded automatically' : 'not watched'}.</p>
${lastLoad !== null && changedParts(lastLoad)}</section>`;
}

function failedLoad({ at, trigger, issues }: NonNullable<StatusResponse['config']['lastReload']>, now: number): Html {
  const items = issues.map(
    ({ path, message }) => html`<li>${path !== '' && html`<code>${path}</code> `}${message}</li>`,
  );
  return html`<div class="failure"><p>${graded('bad', 'The last load failed')} ${ago(at, now)}, ${TRIGGERS[trigger]}. The configuration before it stays in force.</p><ul>${items}</ul></div>`;
}

/** What a load changed: its bounded lists, the empty ones left out, permissions and master keys. */
function changedParts(load: LoadResult): Html {
  const { added, updated, removed } = load.changes;
  if (added === load.accountCount && removed === 0)
    return html`<p>${plural(added, 'account')} loaded for the first time.</p>`;
  const { accounts, policies, budgets } = load;
  const { changedFields: changed, more, ...others } = load.platforms;
  const platforms = { ...others, changed, more: { ...more, changed: more.changedFields } };
  const lists = Object.entries<BoundedLists>({ accounts, platforms, policies, budgets });
  const parts = [
    ...lists.flatMap(([subject, bounded]) => changedLists(subject, bounded)),
    ...changedPermissions(load),
    ...changedMasterKeys(load),
  ];
  return html`<p>Accounts: ${added} added, ${updated} updated, ${removed} removed.</p>
${parts.length > 0 && html`<dl class="changes">${parts}</dl>`}`;
}

type LoadResult = NonNullable<ActivityResponse['lastLoad']>;
type Entry = string | { readonly [field: string]: string | readonly string[] | null };
type BoundedLists = { readonly more: { readonly [list: string]: number } } & {
  readonly [list: string]: readonly Entry[] | { readonly [list: string]: number };
};

function changedLists(subject: string, { more, ...lists }: BoundedLists): readonly Html[] {
  return Object.entries(lists as { readonly [list: string]: readonly Entry[] }).flatMap(([list, entries]) =>
    entries.length === 0 ? [] : [part(`${subject} ${list}`, entries.map(describeEntry), more[list])],
  );
}

function part(name: string, entries: readonly HtmlPart[], more = 0): Html {
  const rest = more > 0 && html`<li class="dim">and ${more} more</li>`;
  return html`<div><dt>${name}</dt><dd><ul>${entries.map((entry) => html`<li>${entry}</li>`)}${rest}</ul></dd></div>`;
}

/** A name, and the fields that changed, or the old and new public key or digest. */
function describeEntry(entry: Entry): HtmlPart {
  if (typeof entry === 'string') return entry;
  const { account, platform, name, fields, previousPublicKey, publicKey, previousDigest, digest } = entry;
  const label = html`${account ?? platform ?? name ?? ''}${fields !== undefined && html`: ${[fields].flat().join(', ')}`}`;
  const values = [previousPublicKey ?? previousDigest, publicKey ?? digest].filter(
    (value) => typeof value === 'string',
  );
  return html`${label}${values.map((value, index) => html`${index === 0 ? ': ' : ' → '}<code class="cut" title="${value}">${value}</code>`)}`;
}

function changedPermissions({ permissions, permissionsDigest, previous }: LoadResult): readonly Html[] {
  if (permissionsDigest === previous.permissionsDigest) return [];
  const { added, removed, principals, more } = permissions;
  const counts = html`<span class="dim">Entries: ${added} added, ${removed} removed</span>`;
  return [part('permissions changed', [counts, ...principals], more.principals)];
}

function changedMasterKeys({ masterKeyIds, previous }: LoadResult): readonly Html[] {
  const [before, after] = [previous.masterKeyIds.join(', '), masterKeyIds.join(', ')];
  return before === after ? [] : [part('master keys changed', [`${before} → ${after}`])];
}
