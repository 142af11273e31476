import type { Grade } from '../../status-view/status-view.ts';
import { type Html, html } from '../documentation/html.ts';

/** Grades show by a word or sign too, never by color alone. */
const SIGNS: { readonly [Name in Grade]: string } = { good: '✓', warn: '▲', bad: '✕' };

/** A colored text with a sign. */
export function graded(grade: Grade, text: string): Html {
  return html`<span class="grade ${grade}"><span aria-hidden="true">${SIGNS[grade]}</span> ${text}</span>`;
}

/** A number with separators. @example formatCount(12345) // '12,345' */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Below 10 with one decimal, else whole. */
export function formatRate(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate));
}

/** A time in its largest whole unit. @example formatAge(93_000) // '1 min' */
function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** `12 s ago`, with the whole time in the title. @param time ISO 8601 UTC @param now Unix ms */
export function ago(time: string, now: number): Html {
  return html`<time datetime="${time}" title="${time}">${formatAge(now - Date.parse(time))} ago</time>`;
}

/** The time of day, with the whole time in the title. */
export function timeOfDay(time: string): Html {
  return html`<time datetime="${time}" title="${time}">${time.slice(11, 19)}</time>`;
}

/** A number with its noun. @example plural(2, 'account') // '2 accounts' */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
