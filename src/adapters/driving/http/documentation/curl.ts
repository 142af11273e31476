import type { JsonValue } from '../../../../domain/model/json.ts';
import { type Endpoint, type Parameter, parametersOf, type ReadDocument } from './read-document.ts';

/** A shell command that makes a call: of an endpoint, with the examples of its parameters. */
export function curlCommand(document: ReadDocument, endpoint: Endpoint, body: JsonValue | undefined): string {
  const target = `"$SERVICE${targetOf(endpoint.path, parametersOf(document, endpoint))}"`;
  if (body === undefined) return `curl ${endpoint.method === 'get' ? '' : '-X POST '}${target}`;
  const text = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl ${target} \\\n  -H 'Content-Type: application/json' \\\n  -d '${text}'`;
}

function targetOf(path: string, parameters: readonly Parameter[]): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example = '' }) => text.replace(`{${name}}`, example), path);
  const query = parameters
    .filter(({ in: place, example }) => place === 'query' && example !== undefined)
    .map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}
