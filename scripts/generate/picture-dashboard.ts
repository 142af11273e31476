import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, Workplace } from '../../tests/e2e/service-process.ts';
import { freePort } from '../../tests/programs/free-port.ts';
import { Chromium, findChromium } from '../run/chromium.ts';
import { installedProgram } from '../run/programs.ts';
import { ready } from '../service/measured-service.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';

/**
 * Makes docs/images/dashboard.png: rows of the Grafana dashboard, drawn from what its queries
 * return from Prometheus while the service is under load for a minute. Needs prometheus and
 * chromium.
 */

const IMAGE = resolve(import.meta.dirname, '../../docs/images/dashboard.png');

/** Rows in the picture. */
const SHOWN = ['Overview', 'Traffic', 'Latency', 'Errors'];
const LOAD_SECONDS = 75;
/** Pixels of a grid unit, as in Grafana: 24 columns. */
const [UNIT_WIDTH, UNIT_HEIGHT] = [58, 34];
const COLORS = ['#73bf69', '#f2cc0c', '#5794f2', '#ff9830', '#f2495c', '#b877d9', '#8ab8ff', '#96d98d'];

interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
}

interface Series {
  readonly metric: { readonly [label: string]: string };
  readonly values: readonly (readonly [time: number, value: string])[];
}

const chromium = findChromium();
const prometheus = installedProgram('prometheus');
if (chromium === null || prometheus === undefined) throw new Error('Needs chromium and prometheus on PATH.');

const place = new Workplace();
const prometheusPort = await freePort();

async function configure(): Promise<void> {
  await place.done('init');
  for (const [platform, algorithm, account] of [
    ['my-exchange', 'ed25519', 'main'],
    ['treasury', 'eip191', 'hot'],
  ]) {
    await place.done('platform', 'add', '--platform', `${platform}`, '--format', 'any', '--algorithm', `${algorithm}`);
    await place.done('account', 'add', '--platform', `${platform}`, '--account', `${account}`);
  }
}

/** Single requests and batches at a rate that rises and falls, and some that are refused. */
async function load(service: ServiceProcess): Promise<void> {
  const order = (platformId: string, accountId: string) => ({
    platformId,
    accountId,
    data: { side: 'buy', amount: '1' },
  });
  const first = await service.post('/sign', order('my-exchange', 'main'));
  const { signature } = first.body.data;
  const end = Date.now() + LOAD_SECONDS * 1000;
  for (let tick = 0; Date.now() < end; tick += 1) {
    const count = 12 + Math.round(8 * Math.sin(tick / 40));
    const requests = Array.from({ length: count }, () => order('my-exchange', 'main'));
    await Promise.all([
      ...requests.map(async (request) => service.post('/sign', request)),
      ...requests.slice(0, count / 3).map(async () => service.post('/sign', order('treasury', 'hot'))),
      ...(tick % 10 === 0
        ? [
            service.post('/sign/batch', {
              requests: requests.map((request, index) => ({ requestId: String(index), ...request })),
            }),
            service.post('/verify', { ...order('my-exchange', 'main'), signature }),
          ]
        : []),
      ...(tick % 15 === 0
        ? [service.post('/sign', order('my-exchange', 'missing')), service.post('/sign', { data: {} })]
        : []),
    ]);
    await sleep(80);
  }
}

async function query(expression: string): Promise<readonly Series[]> {
  const text = expression.replaceAll('"$instance"', '".*"').replaceAll('$__rate_interval', '10s');
  const end = Date.now() / 1000;
  const range = new URLSearchParams({ query: text, start: String(end - 60), end: String(end), step: '1' });
  const response = await fetch(`http://127.0.0.1:${prometheusPort}/api/v1/query_range?${range}`);
  const { data } = (await response.json()) as { readonly data: { readonly result: readonly Series[] } };
  return data.result;
}

async function drawPanel({ type, title, gridPos, targets = [], fieldConfig }: Panel, top: number): Promise<string> {
  const box = `left:${gridPos.x * UNIT_WIDTH}px;top:${(gridPos.y - top) * UNIT_HEIGHT}px;width:${gridPos.w * UNIT_WIDTH - 8}px;height:${gridPos.h * UNIT_HEIGHT - 8}px`;
  if (type === 'row') return `<h2 style="${box}">${title}</h2>`;
  const unit = fieldConfig?.defaults.unit ?? 'short';
  const curves = (
    await Promise.all(
      targets.map(async ({ expr, legendFormat }) =>
        (
          await query(expr)
        ).map(({ metric, values }) => ({
          name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_whole, label) => metric[label] ?? ''),
          values: values
            .map(([time, value]) => [time, Number(value)] as const)
            .filter(([, value]) => Number.isFinite(value)),
        })),
      ),
    )
  )
    .flat()
    .filter(({ values }) => values.length > 0);
  const content = type === 'stat' ? drawNumber(curves[0]?.values.at(-1)?.[1], unit) : drawCurves(curves, gridPos, unit);
  return `<section style="${box}"><h3>${title}</h3>${content}</section>`;
}

function drawNumber(value: number | undefined, unit: string): string {
  return `<b>${value === undefined ? 'No data' : formatValue(value, unit)}</b>`;
}

function drawCurves(
  curves: readonly { readonly name: string; readonly values: readonly (readonly [number, number])[] }[],
  { w, h }: Panel['gridPos'],
  unit: string,
): string {
  if (curves.length === 0) return '<p>No data</p>';
  const [width, height] = [w * UNIT_WIDTH - 90, h * UNIT_HEIGHT - 90];
  const all = curves.flatMap(({ values }) => values);
  const max = Math.max(...all.map(([, value]) => value)) * 1.1 || 1;
  const [first, last] = [Math.min(...all.map(([time]) => time)), Math.max(...all.map(([time]) => time))];
  const lines = curves.map(({ values }, index) => {
    const points = values.map(
      ([time, value]) =>
        `${(((time - first) / (last - first || 1)) * width).toFixed(1)},${(height - (value / max) * height).toFixed(1)}`,
    );
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLORS[index % COLORS.length]}" stroke-width="1.3"/>`;
  });
  const legend = curves.map(({ name }, index) => `<i style="color:${COLORS[index % COLORS.length]}">━</i> ${name}`);
  return `<svg width="${width + 70}" height="${height + 8}"><g transform="translate(60,4)"><path d="M0 0V${height}H${width}M0 0H${width}M0 ${height / 2}H${width}" stroke="#333" fill="none"/>${lines.join('')}</g>
<g fill="#9a9a9a" font-size="11" text-anchor="end"><text x="54" y="12">${formatValue(max, unit)}</text><text x="54" y="${height / 2 + 8}">${formatValue(max / 2, unit)}</text><text x="54" y="${height + 4}">0</text></g></svg><p>${legend.join(' &nbsp; ')}</p>`;
}

function formatValue(value: number, unit: string): string {
  if (unit === 's') return value < 1 ? `${(value * 1000).toPrecision(3)} ms` : `${value.toPrecision(3)} s`;
  if (unit === 'percentunit') return `${(value * 100).toPrecision(3)} %`;
  if (unit === 'bytes')
    return value < 2 ** 20 ? `${(value / 2 ** 10).toPrecision(3)} KiB` : `${(value / 2 ** 20).toPrecision(3)} MiB`;
  return `${Number(value.toPrecision(3))}${unit === 'ops' || unit === 'reqps' ? '/s' : ''}`;
}

let scraper: ChildProcess | null = null;
try {
  await configure();
  const service = await place.start();
  writeFileSync(
    place.path('prometheus.yml'),
    `global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: signing\n    static_configs: [{ targets: ['${new URL(service.url).host}'], labels: { instance: signer-1 } }]\n`,
  );
  const options = ['--config.file=prometheus.yml', '--storage.tsdb.path=data'];
  scraper = spawn(prometheus, [...options, `--web.listen-address=127.0.0.1:${prometheusPort}`], {
    ...{ cwd: place.folder, stdio: 'ignore' },
  });
  await ready(service.url);
  await load(service);
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(grafanaDashboard());
  const next = panels.find(({ type, title }) => type === 'row' && !SHOWN.includes(title))?.gridPos.y ?? 0;
  const shown = panels.filter(({ gridPos }) => gridPos.y < next);
  const drawn = await Promise.all(shown.map(async (panel) => drawPanel(panel, 0)));
  const page = place.path('page.html');
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><style>
body { margin: 16px; background: #111217; color: #ccccdc; font: 12px sans-serif; }
section, h2 { position: absolute; box-sizing: border-box; margin: 16px 0 0 16px; }
section { background: #181b1f; border: 1px solid #25272b; padding: 6px 10px; overflow: hidden; }
h2 { font-size: 15px; } h3 { font-size: 13px; margin: 0 0 6px; font-weight: 500; } p { margin: 4px 0; }
b { display: block; text-align: center; font-size: 30px; color: #73bf69; font-weight: 500; margin-top: 16px; }
</style>${drawn.join('')}`,
  );
  const browser = await Chromium.start(chromium);
  try {
    await browser.emulate(24 * UNIT_WIDTH + 32, next * UNIT_HEIGHT + 32, 'dark');
    await browser.open(`file://${page}`);
    writeFileSync(IMAGE, await browser.screenshot());
  } finally {
    await browser.close();
  }
} finally {
  scraper?.kill('SIGTERM');
  if (scraper?.exitCode === null) await once(scraper, 'exit');
  await place.remove();
}
