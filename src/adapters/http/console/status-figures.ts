import { formatBytes } from '../../../domain/model/text/byte-size.ts';
import { recentRate } from '../../../domain/services/recent-activity.ts';
import { type Html, type HtmlPart, html } from '../documentation/html.ts';
import type { StatusResponse } from '../schemas/status-responses.ts';
import type { ConsoleView } from './console-page.ts';
import { ago, formatCount, formatRate, type Grade, graded, plural } from './console-values.ts';
import { sparkline } from './sparkline.ts';

/** The figures at the top. */
export function figures({ status, activity, now }: ConsoleView): Html {
  const { signatures, refusals, intervalSeconds } = activity;
  const rate = recentRate(signatures, intervalSeconds);
  const refused = sum(refusals);
  const attempts = sum(signatures) + refused;
  return html`<section class="figures" aria-label="Figures">
<div class="figure traffic"><h2>Signatures per second</h2>
<p class="value">${formatRate(rate)} <small>last minute</small></p>
${sparkline(activity)}
<p class="scale"><span>5 min ago</span><span>now</span><span class="legend"><span class="key signed"></span> signed <span class="key refused"></span> refused: ${formatCount(refused)} of ${formatCount(attempts)} attempts</span></p></div>
${figure('Signatures recorded', formatCount(status.performance.totalSigns), performanceNote(status.performance))}
${auditFigure(status, now)}
${diskFigure(status.audit.disk)}
${expiryFigure(status)}
${replicasFigure(status)}
${loadFigure(status)}
</section>`;
}

/** Unlike the number, the time is that of this process: `0.00ms` before its first signature. */
function performanceNote({ errorRate, avgSigningTime }: StatusResponse['performance']): Html {
  const time = avgSigningTime === '0.00ms' ? 'none since the start' : avgSigningTime.replace('ms', ' ms on average');
  return html`${formatShare(errorRate)} of attempts refused or failed<br>${time}`;
}

function figure(name: string, value: HtmlPart, note: HtmlPart): Html {
  return html`<div class="figure"><h2>${name}</h2><p class="value">${value}</p><p class="more">${note}</p></div>\n`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function formatShare(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}

function auditFigure({ audit: { available, head, checkpoint, checkpointCopies } }: StatusResponse, now: number): Html {
  const signed =
    checkpoint === null
      ? 'No signed checkpoint yet'
      : html`Checkpoint ${formatCount(checkpoint.seq)}, ${ago(checkpoint.time, now)}`;
  const hash = head.hash === null ? null : html`<br><code class="cut" title="${head.hash}">${head.hash}</code>`;
  const state = available ? graded('good', 'Audit log') : graded('bad', 'Cannot be written');
  const unsaved = checkpointCopies
    .filter(({ failures }) => failures > 0)
    .map(({ place, seq }) => {
      const since = seq === null ? '' : ` since record ${formatCount(seq)}`;
      return html`<br>${graded('bad', `Checkpoint not saved in ${place}${since}`)}`;
    });
  return figure('Last audit record', html`${formatCount(head.seq)}`, html`${state}<br>${signed}${unsaved}${hash}`);
}

const DISK_GRADES: { readonly [State in StatusResponse['audit']['disk']['state']]: Grade } = {
  ok: 'good',
  low: 'warn',
  critical: 'bad',
  unknown: 'warn',
};

function diskFigure({ freeBytes, state, lowBytes, criticalBytes }: StatusResponse['audit']['disk']): Html {
  const free = freeBytes === null ? '–' : formatBytes(freeBytes);
  return figure(
    'Free audit disk',
    free,
    html`${graded(DISK_GRADES[state], state === 'ok' ? 'Enough' : state)}<br>${state === 'critical' ? `Critical below ${formatBytes(criticalBytes)}` : `Low below ${formatBytes(lowBytes)}`}`,
  );
}

function expiryFigure({ tls, authentication, expiryWarningDays }: StatusResponse): Html {
  const grade = (daysLeft: number, valid: string) => gradedDays(daysLeft, expiryWarningDays, valid);
  const token =
    authentication === null
      ? null
      : html`<br>Access token ${grade(authentication.daysLeft, plural(authentication.daysLeft, 'day'))}`;
  if (tls === null) return figure('Certificate', '–', html`HTTP, no certificate${token}`);
  const { daysLeft, notAfter } = tls.certificate;
  const reload = tls.lastReload?.outcome === 'failed' ? html`<br>${graded('bad', 'last reload failed')}` : null;
  const value = html`${formatCount(daysLeft)} <small>days left</small>`;
  return figure(
    'Certificate',
    value,
    html`${grade(daysLeft, 'valid')}, until ${notAfter.slice(0, 10)}${reload}${token}`,
  );
}

/** As log and alerts grade an expiry. */
function gradedDays(daysLeft: number, warningDays: number, valid: string): Html {
  if (daysLeft < 0) return graded('bad', 'expired');
  return daysLeft < warningDays ? graded('warn', 'renew soon') : graded('good', valid);
}

function replicasFigure({ usage, rateLimits }: StatusResponse): Html {
  const counters = sharing('Counters', usage.shared, usage.state, usage.reason);
  const limits =
    rateLimits === null
      ? 'No rate limits'
      : sharing('Rate limits', rateLimits.shared, rateLimits.state, rateLimits.reason);
  return figure('Replicas', formatCount(usage.replicas), html`${counters}<br>${limits}`);
}

function sharing(name: string, isShared: boolean, state: string, reason: string | null): HtmlPart {
  if (!isShared) return `${name} not shared`;
  if (state === 'current') return `${name} shared`;
  return graded('warn', `${name} ${state}${reason === null ? '' : `: ${reason}`}`);
}

function loadFigure({ load }: StatusResponse): Html {
  const rejected = load.refused + load.rateLimited;
  const more = html`${plural(load.queued, 'request')} waiting<br>${formatCount(load.refused)} rejected, overloaded<br>${formatCount(load.rateLimited)} rate limited`;
  return figure(
    'Signing now',
    formatCount(load.inFlight),
    rejected === 0 ? html`${plural(load.queued, 'request')} waiting<br>None rejected` : more,
  );
}
