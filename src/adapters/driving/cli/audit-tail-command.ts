import { Command, InvalidArgumentError, Option } from 'commander';
import { AUDIT_EVENTS } from '../../../domain/model/audit-entry.ts';
import type { FollowedRecord, Sighting } from '../../../domain/model/audit-sighting.ts';
import { recordFilter, type TailFilter } from './audit-tail-filter.ts';
import { parseSince } from './audit-tail-since.ts';
import type { CliContext, LiveOutput } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { printable } from './printable-text.ts';

interface Options extends TailFilter {
  readonly since?: string;
  readonly lines: number;
  readonly follow: boolean;
  readonly json?: true;
}

const OUTCOMES: readonly FollowedRecord['outcome'][] = ['success', 'refused', 'failed'];
const EVENTS: readonly FollowedRecord['event'][] = [...AUDIT_EVENTS, 'segment'];
const DEFAULT_LINES = 10;
const REPEATED = 'only these; more than once';

const MANUAL: CommandManual = {
  notes: [
    'It goes on until Ctrl-C, across rotations of the file, and waits for one that is not there yet. The file is never written to, and no key is needed. Times are UTC, as in the file.',
    'Options that can be given more than once take any of the values. With --account, --outcome or --event, --lines counts the records that fit, among the last 64 MiB; with --account or --outcome alone, only signatures are shown.',
    'Lines that are no records, or were altered, and records that are missing are told where they are, in red; with --json on standard error, so that standard output holds records alone, each exactly as in the file. To prove a file whole: audit verify.',
  ],
  settings: ['SIGNING_AUDIT_FILE'],
  exitCodes: {
    0: 'after Ctrl-C, and with the first record that the reader of a pipe does not take any more',
    2: 'the file can not be read, or an option is wrong',
  },
  examples: [
    'audit tail',
    'audit tail --account my-exchange/main --outcome refused --outcome failed',
    'audit tail --since 2h --no-follow',
    'audit tail --json --account main | jq .errorCode',
  ],
};

/** `audit tail`: shows the records of the audit file as they are written. */
export function auditTailCommand(context: CliContext): Command {
  const command = new Command('tail')
    .description('show the newest records of the audit file, and those that come')
    .argument('[file]', 'the audit file (default: SIGNING_AUDIT_FILE)')
    .option('--account <id>', 'only this account: its id, or platform/id; more than once', collected)
    .addOption(new Option('--outcome <outcome>', REPEATED).choices(OUTCOMES).argParser(collectedFrom(OUTCOMES)))
    .addOption(new Option('--event <event>', REPEATED).choices(EVENTS).argParser(collectedFrom(EVENTS)))
    .addOption(
      new Option('--since <time>', 'begin with this time (2026-11-20T08:00Z), or so long ago (15m, 2h, 3d)')
        .argParser(since)
        .conflicts('lines'),
    )
    .option('-n, --lines <count>', 'begin with the last so many records', count, DEFAULT_LINES)
    .option('--no-follow', 'end with the records that are there')
    .option('--json', 'print the lines of the file as they are')
    .action((file: string | undefined, options: Options) => tail(context, file, options));
  return withManual(command, MANUAL);
}

async function tail(context: CliContext, file: string | undefined, options: Options): Promise<void> {
  const { since: time, lines, follow, json } = options;
  const path = file ?? (await context.auditFile(context.environment));
  const output = context.openLiveOutput();
  const show = json ? showLines(output) : await showRecords(output);
  const sightings = context.followAudit({
    file: path,
    from: time === undefined ? { lines } : { since: time },
    isWanted: recordFilter(options),
    follow,
    signal: output.stopped,
  });
  for await (const sighting of sightings) {
    if (output.stopped.aborted) return;
    await show(sighting);
  }
}

type Show = (sighting: Sighting) => Promise<void>;

function showLines(output: LiveOutput): Show {
  return async (sighting) => {
    if (sighting.kind === 'record') return output.write(`${sighting.line}\n`);
    output.warn(`${printable(sighting.text)}\n`);
  };
}

/** On a terminal the date stands above the first record of each day; elsewhere, where lines are searched and sorted, in each line. */
async function showRecords(output: LiveOutput): Promise<Show> {
  const { dayLine, noticeLine, recordLine } = await import('./audit-tail-line.ts');
  let day = '';
  return async (sighting) => {
    const look = { colour: output.colour, columns: output.columns };
    if (sighting.kind === 'notice') return output.write(`${noticeLine(sighting.text, look)}\n`);
    const { record } = sighting;
    if (look.columns === null) return output.write(`${recordLine(record, true, look)}\n`);
    const heading = dayLine(record.time, look);
    await output.write(`${heading === day ? '' : `${heading}\n`}${recordLine(record, false, look)}\n`);
    day = heading;
  };
}

function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function collectedFrom<Choice extends string>(choices: readonly Choice[]) {
  return (value: string, before: readonly Choice[] | undefined): readonly Choice[] => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new InvalidArgumentError(`It has to be one of ${choices.join(', ')}.`);
    return [...(before ?? []), choice];
  };
}

function since(text: string): string {
  const time = parseSince(text, Date.now());
  if (time === null)
    throw new InvalidArgumentError('It has to be a time such as 2026-11-20T08:00Z, or a span such as 15m.');
  return time;
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It has to be a whole number.');
}
