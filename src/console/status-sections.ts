import { recordRows, refusalRows } from '../adapters/status-view/activity-rows.ts';
import { member, number, numbers, text } from '../adapters/status-view/json-members.ts';
import { formatCurrentRate, formatPerSecond, type Grade, statusFigures } from '../adapters/status-view/status-view.ts';
import type { JsonObject } from '../domain/model/json.ts';
import { formatCount } from '../domain/model/text/wording.ts';
import { element, find, type Part, show, showRows } from './elements.ts';

/** Names of checks as operators know them. */
const CHECK_NAMES: { readonly [name: string]: string } = {
  keys: 'Accounts',
  audit: 'Audit log',
  selfTest: 'Self-test',
  draining: 'Running',
  authentication: 'Authentication',
};

/** Rows of each kind of refusal. */
const MAX_REFUSED = 6;
const MAX_RECORDS = 20;

/** Bars of the chart, their distance and its height, as in its `viewBox`. */
const [BARS, STEP, HEIGHT] = [60, 8, 72];

/** What a screen reader says of the service. */
export interface Readiness {
  readonly title: string;
  /** The names of failed checks; empty for none. */
  readonly problem: string;
}

/**
 * Shows everything but the accounts.
 * @param status `data` of `GET /status?include=activity`
 * @param checks of `GET /readyz`
 */
export function showStatus(status: JsonObject, checks: JsonObject): Readiness {
  showTraffic(status);
  const figures = statusFigures(status).flatMap(({ label, lines }) => [
    element('dt', {}, label),
    element('dd', {}, ...lines.flatMap((line, at) => [at === 0 ? '' : ', ', ...line.map(toPart)])),
  ]);
  show('figures', ...figures);
  showRows('refusal-rows', refusalRows(status, MAX_REFUSED));
  const records = recordRows(status, MAX_RECORDS).map((row) =>
    row.map((cell, at) => (at === 2 ? toPart({ grade: cell === 'success' ? 'good' : 'bad', text: cell }) : cell)),
  );
  showRows('record-rows', records);
  return showReadiness(status, checks);
}

/** A graded text has a sign as well as a color. */
export function toPart(part: string | { readonly grade: Grade; readonly text: string }): Part {
  return typeof part === 'string' ? part : element('span', { class: part.grade }, part.text);
}

function showReadiness(status: JsonObject, checks: JsonObject): Readiness {
  const failed: string[] = [];
  const items = Object.entries(checks).map(([id, check]) => {
    const name = CHECK_NAMES[id] ?? id;
    if (member(check, 'ok') === true) return element('li', { class: 'good' }, name);
    failed.push(name);
    return element(
      'li',
      { class: 'bad' },
      `${name} failed: ${text(check, 'detail') ?? 'the service log has the cause'}`,
    );
  });
  if (text(status, 'config', 'lastReload', 'outcome') === 'failed') {
    items.push(element('li', { class: 'warn' }, 'The last load of the configuration failed'));
  }
  const title = failed.length === 0 ? 'Ready' : 'Not ready';
  find('state').className = failed.length === 0 ? 'ready' : 'not-ready';
  show('readiness', title);
  show('checks', ...items);
  show('version', `Version ${text(status, 'instance', 'version')}, up ${text(status, 'uptime')}`);
  show('instance', text(status, 'instance', 'id') ?? '');
  return { title, problem: failed.join(', ') };
}

/** Signatures and, on top, refusals of the last five minutes, now at the right. */
function showTraffic(status: JsonObject): void {
  const [signed, refused] = [numbers(status, 'activity', 'signatures'), numbers(status, 'activity', 'refusals')];
  const total = signed.map((count, at) => count + (refused[at] ?? 0));
  const peak = Math.max(1, ...total);
  const toY = (count = 0) => HEIGHT - Math.ceil((count / peak) * HEIGHT);
  const draw = (id: string, from: readonly number[], to: readonly number[]) => {
    const left = (BARS - to.length) * STEP;
    const bars = to.map(
      (count, at) => `M${left + at * STEP + 1} ${toY(from[at])}V${toY(count)}h${STEP - 2}V${toY(from[at])}z`,
    );
    find(id).setAttribute('d', bars.join(''));
  };
  draw('signed', [], signed);
  draw('refused', signed, total);
  const peakRate = formatPerSecond(Math.max(0, ...total) / (number(status, 'activity', 'intervalSeconds') ?? 1));
  show('rate', formatCurrentRate(status, 'signatures') ?? '');
  show('attempts', `${sum(refused)} of ${formatCount(sum(total), 'attempt')}, at most ${peakRate}`);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
