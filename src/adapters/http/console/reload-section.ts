import { type Html, html } from '../documentation/html.ts';
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

/** The bounded lists of a load that are not empty, such as `accounts.added`. */
function changedParts(load: NonNullable<ActivityResponse['lastLoad']>): Html {
  const { added, updated, removed } = load.changes;
  if (added === load.accountCount && removed === 0)
    return html`<p>${plural(added, 'account')} loaded for the first time.</p>`;
  const lists = Object.entries(load).flatMap(([subject, lists]) =>
    typeof lists === 'object' && lists !== null && 'more' in lists && subject !== 'keys'
      ? changedLists(subject, lists as unknown as BoundedLists)
      : [],
  );
  return html`<p>Accounts: ${added} added, ${updated} updated, ${removed} removed.</p>
${lists.length > 0 && html`<dl class="changes">${lists}</dl>`}`;
}

type BoundedLists = { readonly more: { readonly [list: string]: number } } & {
  readonly [list: string]: readonly (string | { readonly [field: string]: string })[];
};

function changedLists(subject: string, lists: BoundedLists): readonly Html[] {
  return Object.entries(lists.more).flatMap(([list, more]) => {
    const entries = lists[list] ?? [];
    if (entries.length === 0) return [];
    const names = entries.map((entry) => html`<li>${typeof entry === 'string' ? entry : describeEntry(entry)}</li>`);
    const rest = more > 0 && html`<li class="dim">and ${more} more</li>`;
    return [html`<div><dt>${subject} ${list}</dt><dd><ul>${names}${rest}</ul></dd></div>`];
  });
}

/** A name, and the old and new public key of an account. */
function describeEntry({ account, previousPublicKey, publicKey, ...rest }: { readonly [field: string]: string }): Html {
  if (publicKey === undefined) return html`${account ?? Object.values(rest).join(' ')}`;
  return html`${account ?? ''}: <code class="cut" title="${previousPublicKey ?? ''}">${previousPublicKey ?? ''}</code> → <code class="cut" title="${publicKey}">${publicKey}</code>`;
}
