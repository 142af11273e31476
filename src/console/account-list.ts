import { list, number, text, time } from '../adapters/status-view/json-members.ts';
import type { JsonObject, JsonValue } from '../domain/model/json.ts';
import { compareText } from '../domain/model/text/compare-text.ts';
import { formatCount } from '../domain/model/text/wording.ts';
import { element, find, show, showRows } from './elements.ts';
import { toPart } from './status-sections.ts';

/** Accounts shown at a time. */
const PAGE_SIZE = 50;

interface Account {
  readonly name: string;
  readonly alias: string;
  readonly address: string;
  readonly environment: string;
  readonly status: string;
  /** ISO 8601 UTC; empty before the first signature. */
  readonly used: string;
  readonly signatures: number;
  readonly errors: number;
}

/** By the values of `sort`; `name` is the order of the service. */
const ORDERS: { readonly [name: string]: (left: Account, right: Account) => number } = {
  alias: (left, right) => compareText(left.alias, right.alias),
  used: (left, right) => compareText(right.used, left.used),
  signatures: (left, right) => right.signatures - left.signatures,
  errors: (left, right) => right.errors - left.errors,
};

const search = find<HTMLInputElement>('q');
const sort = find<HTMLSelectElement>('sort');
const [previous, next] = [find<HTMLButtonElement>('previous'), find<HTMLButtonElement>('next')];

let accounts: readonly Account[] = [];
/** From 0. */
let page = 0;

/** Reads all accounts, in pages that take the service a few milliseconds each. */
export async function readAccounts(read: (path: string) => Promise<JsonObject>): Promise<void> {
  const found: Account[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const data = await read(`/api/v1/accounts?limit=1000${cursor && `&cursor=${cursor}`}`);
    found.push(...list(data, 'accounts').map(toAccount));
    cursor = text(data, 'nextCursor');
  }
  accounts = found;
  showPage();
}

function toAccount(account: JsonValue): Account {
  return {
    name: `${text(account, 'platformId')}/${text(account, 'accountId')}`,
    alias: text(account, 'alias') ?? '',
    address: text(account, 'address') ?? '',
    environment: text(account, 'environment') ?? '',
    status: text(account, 'platformStatus') === null ? (text(account, 'status') ?? '') : 'platform disabled',
    used: time(account, 'usage', 'lastSignAt') ?? '',
    signatures: number(account, 'usage', 'totalSigns') ?? 0,
    errors: number(account, 'usage', 'errorCount') ?? 0,
  };
}

/** The accounts with every word of the search, in the order and on the page that are selected. */
function showPage(): void {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = accounts
    .filter(({ name, alias, address, environment, status }) => {
      const all = [name, alias, address, environment, status].join(' ').toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .toSorted(ORDERS[sort.value] ?? (() => 0));
  const lastPage = Math.max(0, Math.ceil(found.length / PAGE_SIZE) - 1);
  page = Math.min(page, lastPage);
  const start = page * PAGE_SIZE;
  const shown = found.slice(start, start + PAGE_SIZE);
  const rows = shown.map(({ name, alias, address, status, used, signatures, errors }) => [
    element('span', {}, element('strong', {}, alias), element('small', {}, name)),
    address === '' ? '' : element('code', { class: 'cut', title: address }, address),
    status === 'active' ? status : toPart({ grade: 'warn', text: status }),
    used === '' ? 'never' : used,
    String(signatures),
    errors === 0 ? '0' : toPart({ grade: 'bad', text: String(errors) }),
  ]);
  showRows('account-rows', rows);
  const all = formatCount(accounts.length, 'account');
  show('found', words.length === 0 ? all : `${found.length} of ${all}`);
  show('range', `${start + 1}–${start + shown.length} of ${found.length}`);
  find('pager').hidden = lastPage === 0;
  previous.disabled = page === 0;
  next.disabled = page === lastPage;
}

function turnTo(wanted: number): void {
  page = wanted;
  showPage();
  history.replaceState(null, '', `?${new URLSearchParams({ q: search.value, sort: sort.value })}`);
}

const given = new URLSearchParams(location.search);
search.value = given.get('q') ?? '';
sort.value = given.get('sort') ?? 'name';
search.addEventListener('input', () => turnTo(0));
sort.addEventListener('change', () => turnTo(0));
previous.addEventListener('click', () => turnTo(page - 1));
next.addEventListener('click', () => turnTo(page + 1));
