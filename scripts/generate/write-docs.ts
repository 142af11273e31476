import { readFileSync, writeFileSync } from 'node:fs';
import { withChain, withSignRecord } from './audit-example.ts';
import { commandPage } from './command-page.ts';
import { metricsPage } from './metrics-page.ts';
import { presetPage } from './preset-page.ts';
import { prometheusRule } from './prometheus-rule.ts';
import { REVIEW_PAGE, withLineCounts } from './review-page.ts';
import { SETTINGS_PAGE, withSettings } from './settings-table.ts';

/* Writes the generated documentation. */

function readText(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
}

const AUDIT_PAGE = 'docs/auditors/audit-format.md';
const AUDIT_EXAMPLE = 'docs/examples/audit.jsonl';
const auditExample = withChain(readText(AUDIT_EXAMPLE));

const FILES: { readonly [name: string]: string } = {
  'docs/callers/venues.md': presetPage(),
  'docs/operators/metrics.md': metricsPage(),
  'docs/operators/command-line.md': await commandPage(),
  [AUDIT_EXAMPLE]: auditExample,
  [AUDIT_PAGE]: withSignRecord(readText(AUDIT_PAGE), auditExample),
  [SETTINGS_PAGE]: withSettings(readText(SETTINGS_PAGE)),
  [REVIEW_PAGE]: withLineCounts(readText(REVIEW_PAGE), (link) => readText(`docs/reviewers/${link}`)),
  'deploy/kubernetes/monitoring/prometheus-rule.yaml': prometheusRule(readText('deploy/prometheus/alerts.yml')),
};

for (const [name, content] of Object.entries(FILES)) writeFileSync(new URL(`../../${name}`, import.meta.url), content);
