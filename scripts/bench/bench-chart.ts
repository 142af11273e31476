import { megabytes } from '../stage/print.ts';
import { type BenchResult, DISTURBED, isDisturbed, type ScenarioResult } from './bench-result.ts';
import { LATENCY_TARGETS, RATIO_TARGETS, type ScenarioName } from './bench-targets.ts';

const WIDTH = 960;
const MARGIN = 32;
const ROW = 30;
const BAR = 18;
const LABELS_END = 292;
const BARS_BEGIN = 304;
/** Where the bars end that reach their target, and those of the greatest rate. */
const TARGET_AT = 554;
const BARS_END = 686;
const VALUES_AT = 700;

const INK = '#1f2933';
const FAINT = '#52606d';
const LINE = '#cbd2d9';
const HOLDS = '#0b7a5c';
const MISSES = '#c2410c';
const SERVICE = '#2563a8';
const LIMIT = '#9aa5b1';
const FAINT_SPAN = `font-size="12" fill="${FAINT}"`;

/** What is no service, but a limit. */
const LIMITS: ReadonlySet<ScenarioName> = new Set(['bareHttp', 'bareHttps', 'libsodium', 'libsecp256k1', 'auditOff']);
/** The disk is left out: records are no signatures. */
const DRAWN: readonly ScenarioName[] = [
  'bareHttp',
  'singleEd25519',
  'singleEip191',
  'bareHttps',
  'httpsEd25519',
  'libsodium',
  'batchEd25519',
  'libsecp256k1',
  'batchEip191',
  'oneProcess',
  'twoProcesses',
];

/** Draws the ratios against their targets, and rates with latencies, as SVG that is as readable on a dark page as on a light one. */
export function chartOf(result: BenchResult): string {
  const parts = [heading(result), ratioRows(result), latencyRows(result), rateRows(result)];
  let top = MARGIN;
  const drawn = parts.map(({ height, draw }) => {
    const text = draw(top);
    top += height;
    return text;
  });
  const height = top + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif" font-size="14" fill="${INK}">
<title id="title">How fast the signing service is beside what the machine could do</title>
<desc id="description">${escaped(descriptionOf(result))}</desc>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="${LINE}"/>
${drawn.join('\n')}
</svg>
`;
}

/** A part of the picture. */
interface Part {
  readonly height: number;
  readonly draw: (top: number) => string;
}

function heading(result: BenchResult): Part {
  const { machine, date, commit } = result;
  const { processor, cores, node, fileSystem } = machine;
  const facts = `${processor}, ${cores} cores · Node ${node} · audit on ${fileSystem} · ${date.slice(0, 10)} · ${commit ?? ''}`;
  return {
    height: isDisturbed(result) ? 94 : 74,
    draw: (top) =>
      [
        text(MARGIN, top + 16, 'Signing service, durable audit on', 'font-size="20" font-weight="600"'),
        text(MARGIN, top + 40, facts, `font-size="13" fill="${FAINT}"`),
        isDisturbed(result)
          ? text(MARGIN, top + 62, DISTURBED, `font-size="13" font-weight="600" fill="${MISSES}"`)
          : '',
      ].join('\n'),
  };
}

/** All bars have their target at the same place. */
function ratioRows({ ratios }: BenchResult): Part {
  const rows = RATIO_TARGETS.flatMap(({ name, words }) => {
    const ratio = ratios[name];
    if (ratio === undefined) return [];
    const { median, target, holds } = ratio;
    if (target === null) return [];
    return [{ words, part: median / target, holds: holds === true, value: `${median.toFixed(2)}, target ≥ ${target}` }];
  });
  return targetRows('Ratios within one run (longer is better)', rows);
}

function latencyRows({ latencies }: BenchResult): Part {
  const rows = LATENCY_TARGETS.flatMap(({ name, words }) => {
    const latency = latencies[name];
    if (latency === undefined) return [];
    const { ms, below, holds } = latency;
    return [{ words, part: ms / below, holds, value: `${ms.toFixed(1)} ms, target < ${below} ms` }];
  });
  return targetRows('99th percentile at a steady pace, median of rounds (shorter is better)', rows);
}

/** One bar against its target. */
interface TargetRow {
  readonly words: string;
  /** Of the target. */
  readonly part: number;
  readonly holds: boolean;
  readonly value: string;
}

function targetRows(title: string, rows: readonly TargetRow[]): Part {
  if (rows.length === 0) return { height: 0, draw: () => '' };
  const draw = (top: number) => {
    const first = top + 34;
    const drawn = rows.map(({ words, part, holds, value }, index) => {
      const y = first + index * ROW;
      const width = Math.min(part * (TARGET_AT - BARS_BEGIN), BARS_END - BARS_BEGIN);
      const colour = holds ? HOLDS : MISSES;
      return [
        label(y, words),
        bar(y, width, colour),
        text(
          VALUES_AT,
          y + 14,
          `${value}: `,
          '',
          span(holds ? 'holds' : 'misses', `fill="${colour}" font-weight="600"`),
        ),
      ].join('\n');
    });
    const end = first + rows.length * ROW - 6;
    const line = `<line x1="${TARGET_AT}" y1="${first - 6}" x2="${TARGET_AT}" y2="${end}" stroke="${INK}" stroke-width="2" stroke-dasharray="4 3"/>`;
    const named = text(TARGET_AT, first - 11, 'target', `font-size="12" fill="${FAINT}" text-anchor="middle"`);
    return [subheading(top, title), ...drawn, line, named].join('\n');
  };
  return { height: 34 + rows.length * ROW + 22, draw };
}

function rateRows({ scenarios }: BenchResult): Part {
  const rows = DRAWN.flatMap((name) => {
    const scenario = scenarios[name];
    return scenario === undefined ? [] : [{ name, scenario }];
  });
  const greatest = Math.max(...rows.map(({ scenario }) => scenario.medians.perSecond));
  const draw = (top: number) => {
    const first = top + 26;
    const drawn = rows.map(({ name, scenario }, index) => {
      const y = first + index * (ROW + 6);
      const width = (scenario.medians.perSecond / greatest) * (BARS_END - BARS_BEGIN);
      const [rate, latency, use] = rateTexts(scenario);
      return [
        label(y, scenario.words),
        bar(y, width, LIMITS.has(name) ? LIMIT : SERVICE),
        text(VALUES_AT, y + 8, '', '', `${span(rate, 'font-weight="600"')} ${span(latency, FAINT_SPAN)}`),
        text(VALUES_AT, y + 24, use, FAINT_SPAN),
      ].join('\n');
    });
    return [
      subheading(top, 'Requests a second, of batches signatures a second; grey: limits of the machine'),
      ...drawn,
    ].join('\n');
  };
  return { height: 26 + rows.length * (ROW + 6) + 16, draw };
}

function rateTexts({ medians }: ScenarioResult): readonly [rate: string, latency: string, use: string] {
  const { perSecond, p50, p99, cpuSecondsPer1000, rssBytes } = medians;
  const rate = `${Math.round(perSecond).toLocaleString('en')}/s`;
  if (p50 === null || p99 === null) return [rate, '', 'one core'];
  const use = `${(cpuSecondsPer1000 ?? 0).toFixed(3)} CPU s per 1000 · ${megabytes(rssBytes ?? 0)}`;
  return [rate, `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`, use];
}

function descriptionOf({ ratios }: BenchResult): string {
  const sentences = RATIO_TARGETS.flatMap(({ name, words }) => {
    const ratio = ratios[name];
    if (ratio === undefined) return [];
    const target = ratio.target === null ? '' : `, target at least ${ratio.target}`;
    return [`${words}: ${ratio.median.toFixed(2)}${target}`];
  });
  return `${sentences.join('; ')}.`;
}

function subheading(top: number, title: string): string {
  return text(MARGIN, top + 8, title, 'font-size="15" font-weight="600"');
}

function label(y: number, words: string): string {
  return text(LABELS_END, y + 14, words, 'text-anchor="end"');
}

function bar(y: number, width: number, colour: string): string {
  return `<rect x="${BARS_BEGIN}" y="${y}" width="${Math.max(width, 1).toFixed(1)}" height="${BAR}" rx="3" fill="${colour}"/>`;
}

function span(words: string, attributes: string): string {
  return `<tspan ${attributes}>${escaped(words)}</tspan>`;
}

/** @param more markup that follows the words */
function text(x: number, y: number, words: string, attributes: string, more = ''): string {
  return `<text x="${x}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escaped(words)}${more}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
