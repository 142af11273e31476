import type { JsonObject } from '../../../domain/model/json.ts';
import { type Figure, formatCurrentRate, type Line, statusFigures } from '../../status-view/status-view.ts';
import { type Html, html } from '../documentation/html.ts';
import type { ConsoleView } from './console-page.ts';
import { formatCount, graded } from './console-values.ts';
import { sparkline } from './sparkline.ts';

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
