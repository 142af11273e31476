/** Metrics and labels named in a PromQL query. */
export interface NamedInQuery {
  readonly metrics: readonly string[];
  /** Labels in selectors and groupings. */
  readonly labels: readonly string[];
}

const STRINGS = /"(?:[^"\\]|\\.)*"/g;
const SELECTOR = /\{([^{}]*)\}/g;
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^()]*)\)/g;
const RANGE = /\[[^[\]]*\]/g;
const FUNCTION = /\b[a-z_]+\s*\(/g;
const NAME = /[a-zA-Z_][a-zA-Z0-9_]*/g;

/** Keywords that look like names. */
const WORDS = new Set(['or', 'and', 'unless', 'offset', 'bool', 'by', 'without', 'on', 'ignoring', 'ALERTS']);

/**
 * Finds the names in a query: removes strings, selectors, groupings, ranges and functions in turn;
 * metric names remain.
 */
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
