import type { AccountWithUsage } from '../../../domain/services/account-service.ts';
import { type Html, type HtmlPart, html } from '../documentation/html.ts';
import { type AccountTable, PAGE_SIZE } from './account-table.ts';
import {
  type ConsoleQuery,
  formatConsoleQuery,
  MAX_SEARCH_LENGTH,
  SORT_ORDERS,
  type SortOrder,
} from './console-query.ts';
import { ago, formatCount, graded, plural } from './console-values.ts';

/** Accounts with search, order and pages. @param table null for a caller that may read none */
export function accountsSection(table: AccountTable | null, query: ConsoleQuery, now: number): Html {
  if (table === null) {
    return html`<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
<p class="none">Reading accounts needs the permission <code>read</code>.</p></section>`;
  }
  const { rows, found, total, page, pageCount } = table;
  const shown = { ...query, page };
  const count = query.search === '' ? plural(total, 'account') : `${formatCount(found)} of ${plural(total, 'account')}`;
  const body =
    rows.length === 0
      ? html`<tr><td colspan="6" class="none">No account found</td></tr>`
      : rows.map((row) => accountRow(row, now));
  return html`<section aria-labelledby="accounts"><h2 id="accounts">Accounts <small>${count}</small></h2>
${searchForm(query)}
<table class="wide accounts"><caption class="unseen">Accounts, by ${SORT_ORDERS[query.sort].toLowerCase()}, page ${page} of ${pageCount}</caption>
<thead><tr>${column('Account', 'name', shown)}<th scope="col">Address or public key</th><th scope="col">Status</th>${column('Last signature', 'used', shown)}${column('Signatures', 'signatures', shown)}${column('Errors', 'errors', shown)}</tr></thead>
<tbody>${body}</tbody></table>
${pageCount > 1 && pager(shown, found, pageCount)}</section>`;
}

function searchForm({ search, sort }: ConsoleQuery): Html {
  const options = Object.entries(SORT_ORDERS).map(
    ([value, name]) => html`<option value="${value}"${value === sort && html` selected`}>${name}</option>`,
  );
  return html`<form method="get" action="#accounts" role="search" aria-label="Accounts">
<label>Search <input type="search" id="q" name="q" value="${search}" maxlength="${MAX_SEARCH_LENGTH}" placeholder="Alias, account, address" autocomplete="off" spellcheck="false"></label>
<label>Sort by <select id="sort" name="sort">${options}</select></label>
<button type="submit" id="find">Show</button></form>`;
}

const DESCENDING: readonly SortOrder[] = ['used', 'signatures', 'errors'];

function column(name: string, sort: SortOrder, query: ConsoleQuery): Html {
  const isSorted = query.sort === sort;
  const isDescending = DESCENDING.includes(sort);
  const order = isSorted && html` aria-sort="${isDescending ? 'descending' : 'ascending'}"`;
  const arrow = isSorted && html` <span aria-hidden="true">${isDescending ? '↓' : '↑'}</span>`;
  const link = `${formatConsoleQuery({ ...query, sort, page: 1 })}#accounts`;
  const isNumber = sort === 'signatures' || sort === 'errors';
  return html`<th scope="col"${order}${isNumber && html` class="number"`}><a id="by-${sort}" href="${link}">${name}${arrow}</a></th>`;
}

function accountRow({ profile, isPlatformDisabled, usage }: AccountWithUsage, now: number): Html {
  const { platformId, accountId, alias, status, address, publicKey } = profile;
  const key = address ?? publicKey;
  const state: HtmlPart =
    status === 'disabled'
      ? graded('warn', 'disabled')
      : isPlatformDisabled
        ? graded('warn', 'platform disabled')
        : 'active';
  return html`<tr><th scope="row">${alias}<small>${platformId}/${accountId}</small></th>
<td data-label="Address" class="full"><code class="cut" title="${key}">${key}</code></td><td data-label="Status">${state}</td>
<td data-label="Last used">${usage.lastSignAt === null ? 'never' : ago(usage.lastSignAt, now)}</td>
<td data-label="Signatures" class="number">${formatCount(usage.totalSigns)}</td>
<td data-label="Errors" class="number${usage.errorCount > 0 && ' some'}">${formatCount(usage.errorCount)}</td></tr>`;
}

function pager(query: ConsoleQuery, found: number, pageCount: number): Html {
  const { page } = query;
  const link = (id: string, to: number, name: string) =>
    to >= 1 && to <= pageCount
      ? html`<a id="${id}" rel="${id}" href="${formatConsoleQuery({ ...query, page: to })}#accounts">${name}</a>`
      : html`<span class="dim">${name}</span>`;
  const last = Math.min(page * PAGE_SIZE, found);
  return html`<nav class="pager" aria-label="Pages of accounts">${link('prev', page - 1, 'Previous')}
<span>${formatCount((page - 1) * PAGE_SIZE + 1)}–${formatCount(last)} of ${formatCount(found)}</span>
${link('next', page + 1, 'Next')}</nav>`;
}
