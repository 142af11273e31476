import { readFileSync } from 'node:fs';
import { venueJsonSchema } from '../../src/adapters/venues/venue-schema.ts';
import { credentialsJsonSchema } from '../../src/domain/configuration/credentials-schema.ts';
import { apiDocument } from '../pages/api-document.ts';
import { apiPage } from '../pages/api-page.ts';
import { algorithmTable, clientAlgorithms } from './algorithm-table.ts';
import { withChain, withSignRecord } from './audit-example.ts';
import { fieldTable, recordJsonSchema } from './audit-fields.ts';
import { commandSections } from './command-sections.ts';
import { errorTable, RETRYING_CLIENTS, withErrorCodes, withRetryableCodes } from './error-codes.ts';
import { withGenerated } from './generated-part.ts';
import { metricSections } from './metric-sections.ts';
import { prometheusRule } from './prometheus-rule.ts';
import { requestToDataTable } from './request-to-data.ts';
import { REVIEW_PAGE, withLineCounts } from './review-page.ts';
import { settingTables } from './setting-tables.ts';
import { presetTable, venuePages } from './venue-pages.ts';

/** Texts by path. */
export type GeneratedFiles = { readonly [path: string]: string };

const AUDIT_PAGE = 'docs/auditors/audit-format.md';
const AUDIT_EXAMPLE = 'docs/examples/audit.jsonl';

/** The generated files of the repository, by their name in `npm run generate -- NAME`. */
export const GENERATED = { schema: schemaFiles, docs: documentFiles, clients: clientFiles };

/** JSON Schemas, and the OpenAPI document with its page, from the service's own schemas. */
function schemaFiles(): GeneratedFiles {
  return {
    'config/credentials.schema.json': formatJson(credentialsJsonSchema()),
    'config/audit-record.schema.json': formatJson(recordJsonSchema()),
    'config/venue.schema.json': formatJson(venueJsonSchema()),
    'docs/openapi.json': formatJson(apiDocument()),
    'docs/openapi.html': apiPage(),
  };
}

const REQUEST_TO_DATA = `## From the HTTP request to data

What a client sends, and the member of \`data\` that it is: \`params\` are the parameters without the
signature and the API key, \`payload\` is what the header encodes. Method and path are given as they are
sent, also where the venue does not sign them.
`;

/** Pages, the audit example and PrometheusRule. */
async function documentFiles(): Promise<GeneratedFiles> {
  const parts = {
    'docs/callers/errors.md': errorTable(),
    'docs/callers/payload-rules.md': algorithmTable(),
    'docs/callers/venues.md': [presetTable(), REQUEST_TO_DATA, requestToDataTable()].join('\n'),
    'docs/operators/metrics.md': metricSections(),
    'docs/operators/command-line.md': await commandSections(),
    'docs/operators/configure.md': settingTables(),
  };
  const auditExample = withChain(readText(AUDIT_EXAMPLE));
  return {
    ...Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, withGenerated(readText(path), text)])),
    ...venuePages(),
    [AUDIT_EXAMPLE]: auditExample,
    [AUDIT_PAGE]: withSignRecord(withGenerated(readText(AUDIT_PAGE), fieldTable()), auditExample),
    [REVIEW_PAGE]: withLineCounts(readText(REVIEW_PAGE), (link) => readText(`docs/reviewers/${link}`)),
    'deploy/kubernetes/monitoring/prometheus-rule.yaml': prometheusRule(readText('deploy/prometheus/alerts.yml')),
  };
}

/** The error codes of the clients. */
function clientFiles(): GeneratedFiles {
  return {
    'src/client/algorithms.ts': clientAlgorithms(),
    'src/client/errors.ts': withErrorCodes(readText('src/client/errors.ts')),
    ...Object.fromEntries(RETRYING_CLIENTS.map((path) => [path, withRetryableCodes(readText(path))])),
  };
}

function formatJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function readText(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
