import type { FollowedRecord } from '../../../domain/model/audit-sighting.ts';
import { factsText } from './audit-tail-facts.ts';
import { cutEnd, displayWidth } from './display-width.ts';
import { type Look, type Style, styled } from './look.ts';
import { plainOrQuoted } from './plain-or-quoted.ts';
import { printable } from './printable-text.ts';

/** A piece of a line, and its look. */
interface Part {
  readonly text: string;
  readonly style?: Style;
}

const OUTCOME_STYLES: { readonly [outcome in FollowedRecord['outcome']]: Style } = {
  success: 'green',
  refused: 'yellow',
  failed: 'red',
};
const OUTCOME_WIDTH = 'success'.length;
const EVENT_WIDTH = 'segment'.length;
/** `2026-11-20`. */
const DATE_LENGTH = 10;
/** `sha256:` and as many digits as tell one from another at a glance. */
const SHORT_DIGEST = 'sha256:'.length + 8;
const GAP = '  ';
const ELLIPSIS = '…';

/** A record on one line, without a newline, whatever it holds. The time is UTC; without its date on request, for lines under a heading. */
export function recordLine(record: FollowedRecord, withDate: boolean, look: Look): string {
  const time = withDate ? record.time : record.time.slice(DATE_LENGTH + 1, -1);
  return line([{ text: time, style: 'dim' }, ...headParts(record), ...bodyParts(record)], look);
}

/** The heading of a day's records. */
export function dayLine(time: string, look: Look): string {
  return line([{ text: `${time.slice(0, DATE_LENGTH)} UTC`, style: 'bold' }], look);
}

/** What is no record: never cut. */
export function noticeLine(text: string, { colour }: Look): string {
  return line([{ text: `! ${text}`, style: 'red' }], { colour, columns: null });
}

function headParts({ seq, event, outcome }: FollowedRecord): readonly Part[] {
  return [
    { text: `#${seq}`, style: 'dim' },
    { text: outcome.padEnd(OUTCOME_WIDTH), style: OUTCOME_STYLES[outcome] },
    event === 'sign' ? { text: event } : { text: event.padEnd(EVENT_WIDTH), style: 'cyan' },
  ];
}

function bodyParts(record: FollowedRecord): readonly Part[] {
  const { event, outcome, platformId, accountId, algorithm, errorCode, durationMs, remoteAddress, principal } = record;
  const account = event === 'sign' || event === 'verify' ? `${platformId ?? '-'}/${accountId ?? '-'}` : null;
  return [
    part(account, 'bold'),
    part(algorithm),
    part(errorCode, OUTCOME_STYLES[outcome]),
    part(durationMs === null ? null : `${Number(durationMs.toPrecision(3))}ms`),
    part(remoteAddress),
    // A name may have spaces, and would forge the columns behind it.
    part(principal === null ? null : `by ${plainOrQuoted(principal)}`),
    part(record.payloadDigest?.slice(0, SHORT_DIGEST), 'dim'),
    part(factsText(record), event === 'sign' ? 'dim' : undefined),
  ].flat();
}

function part(text: string | null | undefined, style?: Style): readonly Part[] {
  if (text === null || text === undefined || text === '') return [];
  return [style === undefined ? { text } : { text, style }];
}

/** Cuts before it colours, so that no escape sequence is broken. */
function line(parts: readonly Part[], { colour, columns }: Look): string {
  let left = columns ?? Number.POSITIVE_INFINITY;
  let text = '';
  for (const [index, { text: raw, style }] of parts.entries()) {
    const gap = index === 0 ? '' : GAP;
    const whole = printable(raw);
    const isLast = index === parts.length - 1;
    const shown = fitting(whole, left - gap.length, isLast);
    text += gap + (style === undefined ? shown : styled({ colour }, style, shown));
    if (shown !== whole) break;
    left -= gap.length + displayWidth(whole);
  }
  return text;
}

/** The text, or as much of it as fits with an ellipsis; room for the ellipsis is kept where more is to come. */
function fitting(text: string, columns: number, isLast: boolean): string {
  const room = isLast ? columns : columns - GAP.length - ELLIPSIS.length;
  return displayWidth(text) <= room ? text : cutEnd(`${text}${GAP}${ELLIPSIS}`, columns);
}
