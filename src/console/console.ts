/*
 * The console: shows `GET /status`, `GET /readyz` and `GET /accounts` of the service that it comes
 * from, every five seconds. The build bundles it with what it shares with the command `status`.
 */
import { member, number, text, time } from '../adapters/status-view/json-members.ts';
import { viewStatus } from '../adapters/status-view/status-view.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/model/json.ts';
import { readAccounts } from './account-list.ts';
import { find, show } from './elements.ts';
import { showStatus } from './status-sections.ts';

const INTERVAL_MS = 5000;
const TIMEOUT_MS = 10_000;

/** Long lists of accounts are read less often: in at most this share of the time. */
const ACCOUNTS_SHARE = 0.05;

let isPaused = false;
let timer = 0;
let updatedAt: string | null = null;
/** The counts and configuration of the accounts that are shown. */
let accountsState = '';
/** When they may be read again, as `performance.now()`. */
let accountsDue = 0;

async function request(path: string): Promise<JsonObject> {
  const response = await fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  if (response === null) throw new Error('the service cannot be reached');
  const body: JsonValue = await response.json().catch(() => null);
  if (isJsonObject(body)) return body;
  throw new Error(`the response ${response.status} is not the service's`);
}

/** @throws Error with the message of the service, and its code as the cause */
async function read(path: string): Promise<JsonObject> {
  const body = await request(path);
  if (isJsonObject(body['data'])) return body['data'];
  throw new Error(text(body, 'error', 'message') ?? '', { cause: text(body, 'error', 'code') });
}

async function refresh(): Promise<void> {
  const [status, readiness] = await Promise.all([read('/api/v1/status?include=activity'), request('/readyz')]);
  if (isPaused) return;
  const checks = member(readiness, 'data', 'checks') ?? member(readiness, 'error', 'details', 'checks');
  if (!isJsonObject(checks)) throw new Error(text(readiness, 'error', 'message') ?? 'the readiness is unknown');
  const view = viewStatus({
    ready: Object.values(checks).every((check) => member(check, 'ok') === true),
    checks,
    status,
  });
  showStatus(view);
  updatedAt = time(new Date().toISOString());
  showState({
    title: view.readiness.text,
    problem: view.failed.join(', '),
    isStale: false,
    update: `Updated ${updatedAt}`,
  });
  find('main').hidden = false;
  await refreshAccounts(status);
}

/** Reads the accounts again if signatures, errors or the configuration have changed. */
async function refreshAccounts(status: JsonObject): Promise<void> {
  const counts = ['totalSigns', 'errorRate'].map((name) => number(status, 'performance', name));
  const state = [...counts, text(status, 'config', 'lastLoaded')].join();
  const start = performance.now();
  if (state === accountsState || start < accountsDue) return;
  try {
    await readAccounts(read);
    accountsState = state;
    accountsDue = start + (performance.now() - start) / ACCOUNTS_SHARE;
  } catch (error) {
    if (!(error instanceof Error && error.cause === 'FORBIDDEN')) throw error;
    // Each further attempt would be on record.
    accountsDue = Number.POSITIVE_INFINITY;
    find('denied').hidden = false;
    find('readable').hidden = true;
  }
}

function showOutage(problem: string): void {
  const update = updatedAt === null ? `Not loaded: ${problem}` : `Not updated since ${updatedAt}: ${problem}`;
  showState({ isStale: true, title: 'Not updated', problem, update });
}

interface State {
  readonly title: string;
  /** Empty for none. */
  readonly problem: string;
  /** Whether the page shows what was read before. */
  readonly isStale: boolean;
  /** When the page was updated, or why not. */
  readonly update: string;
}

/** A screen reader speaks title and problem when they change. */
function showState({ isStale, title, problem, update }: State): void {
  document.title = `${title}: ${find('instance').textContent}`;
  document.body.classList.toggle('stale', isStale);
  show('updated', update);
  show('announcement', problem === '' ? title : `${title}: ${problem}`);
}

async function update(): Promise<void> {
  if (!isPaused && !document.hidden) await refresh().catch((error) => showOutage(error.message));
  clearTimeout(timer);
  timer = setTimeout(update, INTERVAL_MS);
}

find('pause').addEventListener('click', () => {
  isPaused = !isPaused;
  show('pause', isPaused ? 'Resume updates' : 'Pause updates');
  show('announcement', isPaused ? 'Updates paused' : 'Updates resumed');
  update();
});
document.addEventListener('visibilitychange', update);
update();
