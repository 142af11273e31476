/** One value of a metrics page. */
export interface PageSample {
  readonly name: string;
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
}

/** A parsed metrics page, independent of its writer. */
export interface MetricsPage {
  /** Help and type by described name. */
  readonly help: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly PageSample[];
}

const DESCRIPTION = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/**
 * Parses Prometheus' text format, and OpenMetrics as the service writes it. @throws Error with the
 * first invalid line
 */
export function readPage(text: string): MetricsPage {
  const [help, types, samples] = [new Map<string, string>(), new Map<string, string>(), [] as PageSample[]];
  if (!text.endsWith('\n')) throw new Error('The page does not end with a newline.');
  const isOpenMetrics = text.endsWith('# EOF\n');
  for (const line of text.slice(0, -1).split('\n')) {
    // The text format ignores empty lines; OpenMetrics has none.
    if (line === '' && !isOpenMetrics) continue;
    const [, kind, described = '', logged = ''] = DESCRIPTION.exec(line) ?? [];
    const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (kind !== undefined) (kind === 'HELP' ? help : types).set(described, logged);
    else if (name !== undefined && !line.startsWith('#'))
      samples.push({ name, labels: readLabels(labels), value: readNumber(value) });
    else if (line !== '# EOF') throw new Error(`No line of a page of metrics: ${line}`);
  }
  return { help, types, samples };
}

/** The only value of that name with at least these labels, or undefined. */
export function valueIn({ samples }: MetricsPage, name: string, labels: PageSample['labels'] = {}): number | undefined {
  const found = samples.filter((sample) => sample.name === name && hasLabels(sample, labels));
  if (found.length > 1) throw new Error(`${found.length} values of ${name} have these labels.`);
  return found[0]?.value;
}

function hasLabels(sample: PageSample, labels: PageSample['labels']): boolean {
  return Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
}

function readLabels(text: string): PageSample['labels'] {
  const labels: { [name: string]: string } = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name in labels) throw new Error(`No labels: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
  }
  return labels;
}

function readNumber(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  const value = Number(text);
  // Case-insensitive in Go and OpenMetrics; prom-client writes Nan.
  if (Number.isNaN(value) && !/^nan$/i.test(text)) throw new Error(`No number: ${text}`);
  return value;
}
