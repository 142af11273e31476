import type { JsonObject } from '../../../domain/model/json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { number, numbers, text } from '../../status-view/json-members.ts';
import {
  type Figure,
  formatCurrentRate,
  formatPerSecond,
  type Grade,
  type Line,
  statusFigures,
} from '../../status-view/status-view.ts';
import { type Style, styled, type TerminalStyle } from '../terminal/style.ts';
import { wrapText } from '../terminal/width.ts';
import { formatActivityTables } from './activity-tables.ts';
import { sparkline } from './sparkline.ts';
import type { StatusReading } from './status-source.ts';

/** How to show a status. */
export interface StatusView {
  readonly terminal: TerminalStyle;
  /** Whether the terminal shows ASCII only. */
  readonly ascii: boolean;
}

const LABEL_WIDTH = 'Configuration'.length + 2;
/** Columns beside a sparkline. */
const RATE_TEXT_WIDTH = 44;
const MIN_SAMPLES = 10;
/** Shorter spans are shown in seconds. */
const MIN_MINUTES_SPAN = 120;

const STYLES: { readonly [Name in Grade]: Style } = { good: 'green', warn: 'yellow', bad: 'red' };

/** A reading as a page of text, which ends with a newline. */
export function formatReading(reading: StatusReading, view: StatusView): string {
  const { terminal } = view;
  const { status } = reading;
  const rows = [
    formatRow('Service', listService(reading).join(', '), terminal),
    formatFigure({ label: 'Readiness', lines: [[describeReadiness(reading)]] }, terminal),
    ...listFailedChecks(reading).map((check) => formatRow('', check, terminal)),
  ];
  if (status === null) return rows.join('');
  const figures = statusFigures(status).map((figure) => formatFigure(figure, terminal));
  return [...rows, ...formatRates(status, view), ...figures, formatActivityTables(status, terminal)].join('');
}

function formatFigure({ label, lines }: Figure, terminal: TerminalStyle): string {
  return formatRow(label, lines.map((line) => formatLine(line, terminal)).join(', '), terminal);
}

function formatLine(line: Line, terminal: TerminalStyle): string {
  return line
    .map((part) => (typeof part === 'string' ? part : styled(terminal, STYLES[part.grade], part.text)))
    .join('');
}

function formatRow(label: string, value: string, terminal: TerminalStyle): string {
  const line = `${styled(terminal, 'bold', label.padEnd(LABEL_WIDTH))}${value}\n`;
  return terminal.columns === null ? line : wrapText(line, terminal.columns, LABEL_WIDTH);
}

function listService({ url, status }: StatusReading): readonly string[] {
  const facts = {
    version: text(status, 'instance', 'version'),
    instance: text(status, 'instance', 'id'),
    up: text(status, 'uptime'),
  };
  return [
    printable(url),
    ...Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
  ];
}

function describeReadiness({ ready }: StatusReading): Line[number] {
  if (ready === null) return { grade: 'warn', text: 'unknown' };
  return ready ? { grade: 'good', text: 'ready' } : { grade: 'bad', text: 'NOT READY' };
}

function listFailedChecks({ checks, ready, status }: StatusReading): readonly string[] {
  if (checks === null) return ready === false ? [`status ${text(status, 'status')}`] : [];
  return Object.entries(checks).flatMap(([name, { ok, detail }]) =>
    ok ? [] : [printable(`${name}: ${detail ?? "fails; the service log or the operators' port has the cause"}`)],
  );
}

function formatRates(status: JsonObject, view: StatusView): readonly string[] {
  if (formatCurrentRate(status, 'signatures') === null) {
    const reason = 'no rate: this version of the service does not report its activity';
    return [formatRow('Signatures', reason, view.terminal)];
  }
  return [formatRate('Signatures', 'signatures', status, view), formatRate('Refusals', 'refusals', status, view)];
}

function formatRate(label: string, name: string, status: JsonObject, { terminal, ascii }: StatusView): string {
  const seconds = number(status, 'activity', 'intervalSeconds') ?? 1;
  const samples = numbers(status, 'activity', name);
  const room = terminal.columns === null ? samples.length : terminal.columns - LABEL_WIDTH - RATE_TEXT_WIDTH;
  const shown = samples.slice(-Math.max(MIN_SAMPLES, room));
  const peak = formatPerSecond(Math.max(0, ...shown) / seconds);
  const spanSeconds = shown.length * seconds;
  const span = spanSeconds < MIN_MINUTES_SPAN ? `${spanSeconds} s` : `${Math.round(spanSeconds / 60)} min`;
  const line = styled(terminal, 'cyan', sparkline(shown, ascii));
  return formatRow(
    label,
    `${(formatCurrentRate(status, name) ?? '').padEnd(8)}${line}  peak ${peak} in ${span}`,
    terminal,
  );
}
