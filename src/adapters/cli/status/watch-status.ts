import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { formatBytes } from '../../../domain/model/text/wording.ts';
import { number, text } from '../../status-view/json-members.ts';
import { formatCurrentRate, formatTime } from '../../status-view/status-view.ts';
import type { LiveOutput } from '../cli-context.ts';
import { styled } from '../terminal/style.ts';
import { displayWidth, truncateEnd, wrapText } from '../terminal/width.ts';
import { formatReading } from './status-report.ts';
import type { StatusReading, StatusSource } from './status-source.ts';

/** Milliseconds between the starts of two readings. */
const WATCH_INTERVAL_MS = 2000;

const HOME = '\x1b[H';
const CLEAR_SCREEN = '\x1b[2J';
const CLEAR_LINE_END = '\x1b[K';
const CLEAR_SCREEN_END = '\x1b[J';

/** How to watch. */
export interface WatchOptions {
  readonly ascii: boolean;
  /** Default: 2000. */
  readonly intervalMs?: number;
}

/**
 * Shows the status until the output is stopped: on a terminal a page that is redrawn in place, else
 * one line for each reading. An outage of the service is shown and does not end the watch.
 */
export async function watchStatus(source: StatusSource, output: LiveOutput, options: WatchOptions): Promise<void> {
  const { intervalMs = WATCH_INTERVAL_MS, ascii } = options;
  const show = output.columns === null ? showLines(output) : showPages(output, ascii, intervalMs);
  while (!output.stopped.aborted) {
    const next = performance.now() + intervalMs;
    const reading = await source.read(output.stopped).catch(() => null);
    if (reading === null || output.stopped.aborted) break;
    await show(reading);
    await sleep(Math.max(0, next - performance.now()), undefined, { signal: output.stopped }).catch(() => undefined);
  }
  if (output.columns !== null) await output.write('\n');
}

type Show = (reading: StatusReading) => Promise<void>;

/** Returns since when readings have no status; null with one. */
function trackOutage(): (reading: StatusReading) => string | null {
  let since: string | null = null;
  return ({ problem, time }) => {
    since = problem === null ? null : (since ?? time);
    return since;
  };
}

function showLines(output: LiveOutput): Show {
  const getOutageStart = trackOutage();
  return (reading) => output.write(`${formatLine(reading, getOutageStart(reading))}\n`);
}

/** A reading on one line, for logs. */
export function formatLine({ time, ready, status, problem }: StatusReading, since: string | null): string {
  const at = formatTime(time);
  if (problem !== null || status === null) {
    const kind = problem?.kind ?? 'unreachable';
    return `${at}  ${kind} since ${formatTime(since ?? time)}  ${printable((problem?.message ?? '').replaceAll('\n', ' '))}`;
  }
  const rates = ['signatures', 'refusals'].flatMap((name) => {
    const rate = formatCurrentRate(status, name);
    return rate === null ? [] : [`${name} ${rate}`];
  });
  const free = number(status, 'audit', 'disk', 'freeBytes');
  return [
    at,
    ready === true ? 'ready' : 'not ready',
    ...rates,
    `total ${number(status, 'performance', 'totalSigns')}`,
    `accounts ${number(status, 'accounts', 'total')}`,
    `load ${text(status, 'config', 'lastReload', 'outcome') ?? 'none'}`,
    `audit ${number(status, 'audit', 'head', 'seq')}`,
    ...(free === null ? [] : [`disk ${formatBytes(free)} free`]),
  ].join('  ');
}

function showPages(output: LiveOutput, ascii: boolean, intervalMs: number): Show {
  const getOutageStart = trackOutage();
  let last: StatusReading | null = null;
  let clear = CLEAR_SCREEN;
  return async (reading) => {
    const since = getOutageStart(reading);
    if (since === null) last = reading;
    const head = `${formatTime(reading.time)}, every ${intervalMs / 1000} s; Ctrl-C ends\n\n`;
    const outageText = since === null ? '' : formatOutage(reading, since, output);
    const known = since !== null && last !== null ? `The status of ${formatTime(last.time)} was:\n\n` : '';
    const page = `${head}${outageText}${known}${formatReading(last ?? reading, { terminal: output, ascii })}`;
    await output.write(`${clear}${HOME}${fitPage(page, output)}${CLEAR_SCREEN_END}`);
    clear = '';
  };
}

function formatOutage({ problem }: StatusReading, since: string, output: LiveOutput): string {
  const heading = `${problem?.kind ?? 'unreachable'} since ${formatTime(since)}`;
  const message = printable((problem?.message ?? '').replaceAll('\n', ' '));
  return `${styled(output, 'red', heading)}\n${wrapText(message, output.columns ?? 80)}\n\n`;
}

/** Each line clears the rest of the previous one; lines that would scroll or wrap are cut. */
function fitPage(page: string, { columns, rows }: LiveOutput): string {
  const lines = page.split('\n');
  const shown = rows === null ? lines : lines.slice(0, rows - 1);
  return shown.map((line) => `${cutLine(line, columns)}${CLEAR_LINE_END}`).join('\n');
}

function cutLine(line: string, columns: number | null): string {
  if (columns === null || displayWidth(line) <= columns) return line;
  return truncateEnd(stripVTControlCharacters(line), columns);
}
