/** Levels of objects and arrays in each other that are looked at. */
const MOST_LEVELS = 50;

const COLON = ':';

/**
 * Whether it is certain at a glance that no member stands twice in one object: the text has no more colons than the value has members. Each name has a colon of its own behind it (RFC 8259 §4), and `JSON.parse` drops members
 * but makes none up: where one was dropped there are more colons than members. So there are as well where a string holds a colon, or where levels are many: then it takes a look at the text to say (`duplicateMemberSteps`).
 *
 * @param text one that `JSON.parse` takes; short, since this is done at once
 * @param value what `JSON.parse` makes of it
 */
export function certainlyStandOnce(text: string, value: unknown): boolean {
  return colonsIn(text) === membersOf(value, 0);
}

function colonsIn(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(COLON); at !== -1; at = text.indexOf(COLON, at + 1)) colons += 1;
  return colons;
}

/** NaN where there are too many levels. */
function membersOf(value: unknown, level: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (level === MOST_LEVELS) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += membersOf(element, level + 1);
    return members;
  }
  const names = Object.keys(value);
  for (const name of names) members += membersOf((value as { readonly [name: string]: unknown })[name], level + 1);
  return members + names.length;
}
