import { type Html, html } from '../documentation/html.ts';
import type { ActivityResponse } from '../schemas/status-responses.ts';
import { ago, formatCount, graded, timeOfDay } from './console-values.ts';

type RefusedBy = ActivityResponse['refusedBy'];
type Count = Pick<RefusedBy['callers'][number], 'count' | 'lastCode' | 'lastAt'>;

/** Rows of each table of refusals. */
const MAX_ROWS = 6;

/** Refusals by account, caller and policy. */
export function refusalsSection({ accounts, callers, policies, others }: RefusedBy, now: number): Html {
  const tables = [
    refusalTable(
      'Account',
      accounts,
      others.accounts,
      ({ platformId, accountId }) => `${platformId}/${accountId}`,
      now,
    ),
    refusalTable('Caller', callers, others.callers, ({ principal }) => principal ?? 'not authenticated', now),
    refusalTable('Policy', policies, others.policies, ({ policy }) => policy, now),
  ];
  return html`<section aria-labelledby="refusals"><h2 id="refusals">Refusals <small>since the start</small></h2>
<div class="columns">${tables}</div></section>`;
}

function refusalTable<Row extends Count>(
  title: string,
  rows: readonly Row[],
  others: number,
  toName: (row: Row) => string,
  now: number,
): Html {
  const caption = html`<caption>By ${title.toLowerCase()}</caption>`;
  if (rows.length === 0)
    return html`<table class="refusals">${caption}<tbody><tr><td class="none">None</td></tr></tbody></table>`;
  const lines = rows
    .slice(0, MAX_ROWS)
    .map(
      (row) =>
        html`<tr><th scope="row">${toName(row)}<small>${row.lastCode ?? 'no code'}, ${ago(row.lastAt, now)}</small></th><td class="number">${formatCount(row.count)}</td></tr>`,
    );
  const hidden = rows.slice(MAX_ROWS).reduce((total, { count }) => total + count, others);
  const rest = hidden > 0 && html`<tr><th scope="row">Others</th><td class="number">${formatCount(hidden)}</td></tr>`;
  return html`<table class="refusals">${caption}
<thead class="unseen"><tr><th scope="col">${title}</th><th scope="col">Refusals</th></tr></thead>
<tbody>${lines}${rest}</tbody></table>`;
}

/** The last audit records. */
export function recordsSection(records: ActivityResponse['records']): Html {
  const rows = records.map(
    ({ time, event, outcome, errorCode, platformId, accountId, principal, policy, correlationId }) => html`<tr>
<td data-label="Time (UTC)">${timeOfDay(time)}</td><td data-label="Event">${event}</td>
<td data-label="Outcome" class="half">${outcome === 'success' ? graded('good', 'success') : graded('bad', outcome)}${errorCode !== null && html` <code>${errorCode}</code>`}</td>
<td data-label="Account" class="half">${platformId === null ? '–' : `${platformId}/${accountId ?? ''}`}</td>
<td data-label="Caller" class="half">${principal ?? '–'}</td><td data-label="Policy" class="half">${policy ?? '–'}</td>
<td data-label="Request ID" class="half"><code class="cut" title="${correlationId ?? ''}">${correlationId ?? '–'}</code></td></tr>`,
  );
  const body = rows.length === 0 ? html`<tr><td colspan="7" class="none">None yet</td></tr>` : rows;
  return html`<section aria-labelledby="records"><h2 id="records">Audit records <small>the last ${records.length}</small></h2>
<table class="wide records"><caption class="unseen">The last audit records, newest first</caption>
<thead><tr><th scope="col">Time (UTC)</th><th scope="col">Event</th><th scope="col">Outcome</th><th scope="col">Account</th><th scope="col">Caller</th><th scope="col">Policy</th><th scope="col">Request ID</th></tr></thead>
<tbody>${body}</tbody></table></section>`;
}
