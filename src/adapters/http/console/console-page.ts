import type { Readiness } from '../../../domain/services/readiness-service.ts';
import { type Html, html, inline, trusted } from '../documentation/html.ts';
import { contentSecurityPolicy, ICON } from '../documentation/page-style.ts';
import { ROUTES } from '../route.ts';
import type { ActivityResponse, StatusResponse } from '../schemas/status-responses.ts';
import { accountsSection } from './account-section.ts';
import type { AccountTable } from './account-table.ts';
import { recordsSection, refusalsSection } from './activity-sections.ts';
import type { ConsoleQuery } from './console-query.ts';
import { CONSOLE_STYLE_SHEET } from './console-style-sheet.ts';
import { timeOfDay } from './console-values.ts';
import { figures } from './status-figures.ts';

/** What the console shows. */
export interface ConsoleView {
  readonly status: StatusResponse;
  readonly activity: ActivityResponse;
  readonly readiness: Readiness;
  /** Null for a caller that may read no account. */
  readonly accounts: AccountTable | null;
  readonly query: ConsoleQuery;
  /** Wall clock, Unix milliseconds. */
  readonly now: number;
}

/**
 * Content-Security-Policy of the console: its inline style sheet and its own script, which may
 * fetch the page; the search form.
 */
export const CONSOLE_POLICY = contentSecurityPolicy(CONSOLE_STYLE_SHEET, {
  'script-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
});

/** Sections by the ids of their headings. */
const SECTIONS = [
  ['refusals', 'Refusals'],
  ['records', 'Records'],
  ['accounts', 'Accounts'],
] as const;

/** Names of checks as the page shows them. */
const CHECK_NAMES: { readonly [Name in keyof Readiness['checks']]-?: string } = {
  keys: 'Accounts',
  audit: 'Audit log',
  selfTest: 'Self-test',
  draining: 'Running',
  authentication: 'Authentication',
};

/** Renders the console, an HTML page that needs no script. */
export function consolePage(view: ConsoleView): string {
  const { status, readiness, now } = view;
  const { instance } = status;
  const state = describeState(readiness);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${readiness.ready ? 'Ready' : 'Not ready'}: ${instance.id}</title>
<link rel="icon" href="${ICON}">
<style>${trusted(CONSOLE_STYLE_SHEET)}</style>
<script src="${ROUTES.consoleScript.path}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<h1><img src="${ICON}" alt=""> Signing service <span>${instance.id}</span></h1>
<nav aria-label="Sections">${SECTIONS.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>
<p><span class="when">Updated <span id="updated">${timeOfDay(new Date(now).toISOString())} UTC</span></span> <button type="button" id="pause" hidden>Pause updates</button></p>
</header>
<p id="news" role="status"></p>
<main id="main" data-state="${state}">
${readinessSection(view)}
${figures(view)}
${refusalsSection(view.activity.refusedBy, now)}
${recordsSection(view.activity.records)}
${accountsSection(view.accounts, view.query, now)}
</main>
<footer>Signatures per second, refusals and records are those of this process. This page changes nothing.</footer>
</body>
</html>
`;
  return page.text;
}

/** What a screen reader announces when it changes. */
function describeState({ ready, checks }: Readiness): string {
  const failed = listChecks(checks).filter(({ ok }) => !ok);
  return ready ? 'Ready' : `Not ready: ${failed.map(({ name }) => name).join(', ')}`;
}

function listChecks(checks: Readiness['checks']) {
  return Object.entries(checks).map(([id, check]) => ({ name: CHECK_NAMES[id as keyof typeof checks], ...check }));
}

function readinessSection({ readiness, status }: ConsoleView): Html {
  const { ready, checks } = readiness;
  const items = listChecks(checks).map(({ name, ok, detail }) => {
    const sign = html`<span aria-hidden="true">${ok ? '✓' : '✕'}</span>`;
    if (ok) return html`<li>${sign} ${name}</li>`;
    return html`<li class="failed">${sign} <strong>${name}</strong> failed${detail !== undefined && html`: ${inline(detail)}`}</li>`;
  });
  const loadFailure =
    status.config.lastReload?.outcome === 'failed' &&
    html`<li class="warn"><span aria-hidden="true">▲</span> <a href="#figures">The last load of the configuration failed</a></li>`;
  return html`<section class="state ${ready ? 'good' : 'bad'}" aria-labelledby="state">
<h2 id="state">${ready ? 'Ready' : 'Not ready'}</h2>
<ul>${items}${loadFailure}</ul>
<p>Version ${status.instance.version} <span aria-hidden="true">·</span> up ${status.uptime}</p>
</section>`;
}
