/** What a PromQL query names of metrics. */
export interface NamedInQuery {
  readonly metrics: readonly string[];
  /** Labels, wherever they stand: selected by, grouped by. */
  readonly labels: readonly string[];
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const SELECTOR = /\{([^{}]*)\}/g;
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^()]*)\)/g;
const RANGE = /\[[^[\]]*\]/g;
const FUNCTION = /\b[a-z_]+\s*\(/g;
const NAME = /[a-zA-Z_][a-zA-Z0-9_]*/g;

/** Words of the language that look like names. */
const WORDS = new Set(['or', 'and', 'unless', 'offset', 'bool', 'by', 'without', 'on', 'ignoring', 'ALERTS']);

/** Reads a query as far as is needed to find what it names: strings, selectors, groupings, ranges and functions are taken out in turn, and names of metrics remain. */
export function namedInQuery(query: string): NamedInQuery {
  const labels: string[] = [];
  const take = (pattern: RegExp, text: string) =>
    text.replaceAll(pattern, (_, inside: string) => {
      labels.push(...(inside.match(NAME) ?? []));
      return ' ';
    });
  const plain = take(GROUPING, take(SELECTOR, query.replaceAll(STRINGS, '')))
    .replaceAll(RANGE, ' ')
    .replaceAll(/\boffset\s+\d+[smhd]/g, ' ')
    .replaceAll(FUNCTION, ' ')
    .replaceAll(/\b\d[\d.e]*/g, ' ');
  const metrics = (plain.match(NAME) ?? []).filter((name) => !WORDS.has(name));
  return { metrics, labels };
}
