import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { time } from '../../status-view/json-members.ts';
import { viewStatus } from '../../status-view/status-view.ts';
import type { LiveOutput } from '../cli-context.ts';
import { Page } from '../terminal/page.ts';
import { displayWidth, truncateEnd } from '../terminal/width.ts';
import type { StatusReading, StatusSource } from './source.ts';
import { formatReading } from './status-page.ts';

const HOME = '\x1b[H';
const CLEAR_SCREEN = '\x1b[2J';
const CLEAR_LINE_END = '\x1b[K';
const CLEAR_SCREEN_END = '\x1b[J';

/**
 * Shows the status until the output is stopped: on a terminal a page that is redrawn in place, else
 * one line for each reading. An outage of the service is shown and does not end the watch.
 * @param isAscii whether the terminal shows ASCII only
 * @param intervalMs between the starts of two readings
 */
export async function watchStatus(
  source: StatusSource,
  output: LiveOutput,
  isAscii: boolean,
  intervalMs = 2000,
): Promise<void> {
  let known: StatusReading | null = null;
  let outage: StatusReading | null = null;
  let clear = CLEAR_SCREEN;
  while (!output.stopped.aborted) {
    const next = performance.now() + intervalMs;
    const reading = await source.read(output.stopped).catch(() => null);
    if (reading === null || output.stopped.aborted) break;
    outage = reading.problem === null ? null : (outage ?? reading);
    if (outage === null) known = reading;
    const lost = outage === null ? null : describeOutage(reading, outage);
    if (output.columns === null) await output.write(`${formatLine(reading, lost)}\n`);
    else {
      const page = new Page(output);
      const text = [
        `${time(reading.time)}, every ${intervalMs / 1000} s; Ctrl-C ends\n\n`,
        lost === null ? '' : `${page.styled('red', lost.heading)}\n${page.prose(lost.message)}\n\n`,
        lost === null || known === null ? '' : `The status of ${time(known.time)} was:\n\n`,
        formatReading(known ?? reading, page, isAscii),
      ].join('');
      await output.write(`${clear}${HOME}${fitPage(text, output)}${CLEAR_SCREEN_END}`);
      clear = '';
    }
    await sleep(Math.max(0, next - performance.now()), undefined, { signal: output.stopped }).catch(() => undefined);
  }
  if (output.columns !== null) await output.write('\n');
}

interface Outage {
  readonly heading: string;
  readonly message: string;
}

/** @param first reading without a status */
function describeOutage({ problem }: StatusReading, first: StatusReading): Outage {
  return {
    heading: `${problem?.kind} since ${time(first.time)}`,
    message: printable((problem?.message ?? '').replaceAll('\n', ' ')),
  };
}

/** A reading on one line, for logs. */
function formatLine(reading: StatusReading, outage: Outage | null): string {
  const { readiness, summary } = viewStatus(reading);
  const facts = outage === null ? [readiness.text.toLowerCase(), ...summary] : [outage.heading, outage.message];
  return [time(reading.time), ...facts].join('  ');
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
