import type { Part as Text } from '../adapters/status-view/figures.ts';
import { formatPeak, OUTCOME_GRADES, type StatusView } from '../adapters/status-view/status-view.ts';
import { formatCount } from '../domain/model/text/wording.ts';
import { element, find, type Part, show, showRows } from './elements.ts';

/** Bars of the chart, their distance and its height, as in its `viewBox`. */
const [BARS, STEP, HEIGHT] = [60, 8, 72];

/** Shows everything but the accounts. */
export function showStatus(view: StatusView): void {
  const { readiness, checks, version, uptime, instance, traffic, figures, refusals, records } = view;
  find('state').className = readiness.grade === 'good' ? 'ready' : 'not-ready';
  show('readiness', readiness.text);
  show('checks', ...checks.map(({ grade, text }) => element('li', { class: grade }, text)));
  show('version', `Version ${version}, up ${uptime}`);
  show('instance', instance ?? '');
  if (traffic !== null) showTraffic(traffic);
  const shown = figures.flatMap(({ label, lines }) => [
    element('dt', {}, label),
    element('dd', {}, ...lines.flatMap((line, at) => [at === 0 ? '' : ', ', ...line.map(toPart)])),
  ]);
  show('figures', ...shown);
  showRows('refusal-rows', refusals);
  const rows = records.map((row) =>
    row.map((cell, at) => (at === 2 ? toPart({ grade: OUTCOME_GRADES[cell] ?? 'bad', text: cell }) : cell)),
  );
  showRows('record-rows', rows);
}

/** A graded text has a sign as well as a color. */
export function toPart(part: Text): Part {
  return typeof part === 'string' ? part : element('span', { class: part.grade }, part.text);
}

/** Signatures and, on top, refusals of the last five minutes, now at the right. */
function showTraffic({ signatures, refusals, seconds }: NonNullable<StatusView['traffic']>): void {
  const [signed, refused] = [signatures.counts, refusals.counts];
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
  show('rate', signatures.rate);
  const attempts = formatCount(sum(total), 'attempt');
  show('attempts', `${sum(refused)} of ${attempts}, at most ${formatPeak(total, seconds)}`);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
