import { parse } from 'yaml';
import type { ApiSource, Operation, OperationId } from '../../scripts/pages/api-source.ts';
import { ROUTES } from '../../src/adapters/http/route.ts';
import { readProjectFile } from '../project-root.ts';

const API: ApiSource = parse(readProjectFile('scripts/pages/api.yaml'));

/** The documented operations: id, method, examples and names of query parameters. */
export const DOCUMENTED_OPERATIONS = (Object.entries(API.operations) as [OperationId, Operation][]).map(
  ([operationId, { parameters = [], request, examples = {} }]) => ({
    ...{ operationId, hasBody: request !== undefined, examples: Object.entries(examples) },
    ...ROUTES[operationId],
    query: parameters.map((name) => API.parameters[name]).flatMap((it) => (it?.in === 'query' ? [it.name] : [])),
  }),
);
