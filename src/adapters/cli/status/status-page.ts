import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import type { Grade, Part } from '../../status-view/figures.ts';
import { formatPeak, OUTCOME_GRADES, type Series, viewStatus } from '../../status-view/status-view.ts';
import type { Page } from '../terminal/page.ts';
import type { Style } from '../terminal/style.ts';
import type { Column } from '../terminal/table.ts';
import type { StatusReading } from './source.ts';

const LABEL_WIDTH = 'Configuration'.length + 2;
/** Columns beside a sparkline. */
const RATE_TEXT_WIDTH = 44;
const MIN_SAMPLES = 10;
/** Shorter spans are shown in seconds. */
const MIN_MINUTES_SPAN = 120;
const MAX_RECORDS = 10;

const STYLES: { readonly [Name in Grade]: Style } = { good: 'green', warn: 'yellow', bad: 'red' };

const REFUSED_COLUMNS: readonly Column[] = [
  { heading: 'REFUSED', truncate: 'middle' },
  { heading: 'COUNT' },
  { heading: 'LAST CODE' },
  { heading: 'LAST TIME', optional: true },
];

const RECORD_COLUMNS: readonly Column[] = [
  { heading: 'LAST RECORDS' },
  { heading: 'EVENT' },
  { heading: 'OUTCOME', style: (cell) => STYLES[OUTCOME_GRADES[cell] ?? 'bad'] },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'CALLER', truncate: 'end', optional: true },
  { heading: 'CODE', truncate: 'end' },
  { heading: 'POLICY', truncate: 'end', optional: true },
];

/**
 * A reading as a page of text, which ends with a newline.
 * @param isAscii whether the terminal shows ASCII only
 */
export function formatReading(reading: StatusReading, page: Page, isAscii: boolean): string {
  const { version, instance, uptime, readiness, checks, traffic, figures, refusals, records } = viewStatus(reading);
  const row = (label: string, value: string) =>
    page.prose(`${page.styled('bold', label.padEnd(LABEL_WIDTH))}${value}\n`, LABEL_WIDTH);
  const graded = (part: Part) => (typeof part === 'string' ? part : page.styled(STYLES[part.grade], part.text));
  const rate = (label: string, { counts, rate }: Series, seconds: number) => {
    const room = page.columns === null ? counts.length : page.columns - LABEL_WIDTH - RATE_TEXT_WIDTH;
    const shown = counts.slice(-Math.max(MIN_SAMPLES, room));
    const span = shown.length * seconds;
    const time = span < MIN_MINUTES_SPAN ? `${span} s` : `${Math.round(span / 60)} min`;
    const line = page.styled('cyan', sparkline(shown, isAscii));
    return row(label, `${rate.padEnd(8)}${line}  peak ${formatPeak(shown, seconds)} in ${time}`);
  };
  const facts = Object.entries({ version, instance, up: uptime });
  const service = facts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
  const head = [
    row('Service', [printable(reading.url), ...service].join(', ')),
    row('Readiness', graded(readiness)),
    ...checks.filter(({ grade }) => grade !== 'good').map((check) => row('', graded(check))),
  ];
  if (reading.status === null) return head.join('');
  const tables = [
    page.table(REFUSED_COLUMNS, refusals),
    // The request ID is too wide.
    page.table(
      RECORD_COLUMNS,
      records.slice(0, MAX_RECORDS).map((cells) => cells.slice(0, RECORD_COLUMNS.length)),
    ),
  ];
  return [
    ...head,
    ...(traffic === null
      ? [row('Signatures', 'no rate: this version of the service does not report its activity')]
      : [rate('Signatures', traffic.signatures, traffic.seconds), rate('Refusals', traffic.refusals, traffic.seconds)]),
    ...figures.map(({ label, lines }) => row(label, lines.map((line) => line.map(graded).join('')).join(', '))),
    ...tables.map((table) => (table === '' ? '' : `\n${table}`)),
  ].join('');
}

/** Levels, the first for zero. */
const [BLOCKS, ASCII_LEVELS] = ['▁▂▃▄▅▆▇█', '_.:-=+*#'];

/** A line of characters as high as the values, relative to the largest; only zero has the lowest. */
function sparkline(values: readonly number[], isAscii: boolean): string {
  const levels = isAscii ? ASCII_LEVELS : BLOCKS;
  const toLevel = (value: number) => Math.max(1, Math.round((value / Math.max(...values)) * (levels.length - 1)));
  return values.map((value) => levels[value <= 0 ? 0 : toLevel(value)] ?? '').join('');
}

/**
 * Whether the locale of the terminal is not UTF-8 (POSIX: LC_ALL, LC_CTYPE, LANG). Without a
 * locale, as in containers, the terminal counts as UTF-8.
 */
export function isAsciiTerminal(environment: { readonly [name: string]: string | undefined }): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || 'UTF-8';
  return !/utf-?8/i.test(locale);
}
