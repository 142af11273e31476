import type { JsonObject } from '../../../domain/model/json.ts';
import { type Figure, formatCurrentRate, type Line, statusFigures } from '../../status-view/status-view.ts';
import { type Html, html } from '../documentation/html.ts';
import type { ActivityResponse } from '../schemas/status-responses.ts';
import type { ConsoleView } from './console-page.ts';
import { formatCount, formatRate, graded } from './console-values.ts';

/** The figures at the top. */
export function figures({ status, activity }: ConsoleView): Html {
  const refused = sum(activity.refusals);
  const attempts = sum(activity.signatures) + refused;
  const shown = { ...status, activity } as unknown as JsonObject;
  return html`<section class="figures" id="figures" aria-label="Figures">
<div class="traffic"><h2>Signatures</h2>
<p class="value">${formatCurrentRate(shown, 'signatures')} <small>last minute</small></p>
${sparkline(activity)}
<p class="scale"><span>5 min ago</span><span>now</span><span class="legend"><span class="key signed"></span> signed <span class="key refused"></span> refused: ${formatCount(refused)} of ${formatCount(attempts)} attempts</span></p></div>
<dl>${statusFigures(shown).map(renderFigure)}</dl></section>`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function renderFigure({ label, lines }: Figure): Html {
  const items = lines.map((line, index) => html`${index > 0 && ', '}${renderLine(line)}`);
  return html`<dt>${label}</dt><dd>${items}</dd>\n`;
}

function renderLine(line: Line): readonly (Html | string)[] {
  return line.map((part) => (typeof part === 'string' ? part : graded(part.grade, part.text)));
}

const [SAMPLES, STEP, HEIGHT] = [60, 8, 72];

/** Bars of signatures and, on top, refusals per second: the last five minutes, now at the right. */
export function sparkline({ intervalSeconds, signatures, refusals }: ActivityResponse): Html {
  const totals = signatures.map((count, index) => count + (refusals[index] ?? 0));
  const peak = Math.max(1, ...totals);
  const toHeight = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round((count / peak) * HEIGHT)));
  const bars = signatures.map((signed, index) => {
    const x = (SAMPLES - signatures.length + index) * STEP;
    const [upTo, top] = [toHeight(signed), toHeight(totals[index] ?? 0)];
    return html`${bar('signed', x, HEIGHT - upTo, upTo)}${bar('refused', x, HEIGHT - top, top - upTo)}`;
  });
  const label = `${describe('Signatures', signatures, intervalSeconds)} ${describe('Refusals', refusals, intervalSeconds)}`;
  return html`<svg class="spark" viewBox="0 0 ${SAMPLES * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="base" d="M0 ${HEIGHT - 0.5}H${SAMPLES * STEP}"/>${bars}</svg>`;
}

function bar(name: string, x: number, y: number, height: number): Html | null {
  return height > 0 ? html`<rect class="${name}" x="${x + 1}" y="${y}" width="${STEP - 2}" height="${height}"/>` : null;
}

function describe(name: string, counts: readonly number[], intervalSeconds: number): string {
  const rates = counts.map((count) => count / intervalSeconds);
  if (rates.length === 0) return `${name}: no complete interval yet.`;
  const [now, min, max] = [rates.at(-1) ?? 0, Math.min(...rates), Math.max(...rates)].map(formatRate);
  return `${name} per second in the last ${rates.length * intervalSeconds} seconds: lowest ${min}, highest ${max}, now ${now}.`;
}
