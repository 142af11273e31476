import { readFileSync } from 'node:fs';
import { recordJsonSchema } from '../../src/adapters/audit/record/read-record.ts';
import { credentialsJsonSchema } from '../../src/adapters/credentials/schema/credentials-schema.ts';
import { apiDocument } from '../../src/adapters/http/openapi/api-document.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { withChain, withSignRecord } from './audit-example.ts';
import { commandPage } from './command-page.ts';
import { metricsPage } from './metrics-page.ts';
import { presetPage } from './preset-page.ts';
import { prometheusRule } from './prometheus-rule.ts';
import { REVIEW_PAGE, withLineCounts } from './review-page.ts';
import { SETTINGS_PAGE, withSettings } from './settings-table.ts';

/** Texts by path. */
export type GeneratedFiles = { readonly [path: string]: string };

const AUDIT_PAGE = 'docs/auditors/audit-format.md';
const AUDIT_EXAMPLE = 'docs/examples/audit.jsonl';

/** The generated files of the repository, by their name in `npm run generate -- NAME`. */
export const GENERATED = { schema: schemaFiles, docs: documentFiles };

/** JSON Schemas and the OpenAPI document, from the service's own schemas. */
function schemaFiles(): GeneratedFiles {
  return {
    'config/credentials.schema.json': formatJson(credentialsJsonSchema()),
    'config/audit-record.schema.json': formatJson(recordJsonSchema()),
    'docs/openapi.json': formatJson(apiDocument(readSettings({}))),
  };
}

/** Pages, the audit example and PrometheusRule. */
async function documentFiles(): Promise<GeneratedFiles> {
  const auditExample = withChain(readText(AUDIT_EXAMPLE));
  return {
    'docs/callers/venues.md': presetPage(),
    'docs/operators/metrics.md': metricsPage(),
    'docs/operators/command-line.md': await commandPage(),
    [AUDIT_EXAMPLE]: auditExample,
    [AUDIT_PAGE]: withSignRecord(readText(AUDIT_PAGE), auditExample),
    [SETTINGS_PAGE]: withSettings(readText(SETTINGS_PAGE)),
    [REVIEW_PAGE]: withLineCounts(readText(REVIEW_PAGE), (link) => readText(`docs/reviewers/${link}`)),
    'deploy/kubernetes/monitoring/prometheus-rule.yaml': prometheusRule(readText('deploy/prometheus/alerts.yml')),
  };
}

function formatJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function readText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
