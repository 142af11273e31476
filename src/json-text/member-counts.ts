import { endOfString, isBeforeColon } from './string-ends.ts';

/** Levels of objects and arrays in each other that are counted: more than any request or file has. */
const MOST_LEVELS = 1000;

/** Strings, and members or elements, after which a step ends. */
const IN_A_STEP = 4000;

/** An object or array, the names of its members (null for an array), how many it holds, and which is next. */
interface Level {
  readonly holder: { readonly [step: string | number]: unknown };
  /** `Object.values` would list all of them at once. */
  readonly names: readonly string[] | null;
  readonly size: number;
  next: number;
}

/**
 * How many members a JSON text has, those that `JSON.parse` drops included: a string before a colon is the name of one, and nothing else is (RFC 8259 §4).
 *
 * @param text one that `JSON.parse` takes
 */
export function* countNameSteps(text: string): Generator<void, number> {
  let names = 0;
  let strings = 0;
  let begin = text.indexOf('"');
  while (begin !== -1) {
    const end = endOfString(text, begin);
    if (isBeforeColon(text, end)) names += 1;
    begin = text.indexOf('"', end + 1);
    strings += 1;
    if (strings % IN_A_STEP === 0) yield;
  }
  return names;
}

/** How many members the objects of a parsed value have; NaN when more than 1000 of them and of arrays stand in each other. */
export function* countMemberSteps(value: unknown): Generator<void, number> {
  let members = 0;
  let seen = 0;
  const levels: Level[] = [];
  for (let held: unknown = value; ; ) {
    if (isHolder(held)) {
      if (levels.length === MOST_LEVELS) return Number.NaN;
      const level = levelOf(held);
      if (level.names !== null) members += level.size;
      levels.push(level);
    }
    while (levels.length > 0 && isThrough(levels)) levels.pop();
    const level = levels.at(-1);
    if (level === undefined) return members;
    held = level.holder[level.names?.[level.next] ?? level.next];
    level.next += 1;
    seen += 1;
    if (seen % IN_A_STEP === 0) yield;
  }
}

function levelOf(holder: Level['holder']): Level {
  if (Array.isArray(holder)) return { holder, names: null, size: holder.length, next: 0 };
  const names = Object.keys(holder);
  return { holder, names, size: names.length, next: 0 };
}

function isThrough(levels: readonly Level[]): boolean {
  const level = levels.at(-1);
  return level !== undefined && level.next >= level.size;
}

function isHolder(value: unknown): value is Level['holder'] {
  return typeof value === 'object' && value !== null;
}
