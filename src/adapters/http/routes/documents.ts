import { createHash } from 'node:crypto';
import { programPath, readProgramFile } from '../../../program/program-file.ts';
import { JSON_CONTENT_TYPE } from '../responses.ts';
import type { Endpoint } from '../route.ts';
import { fileEndpoint } from './file-endpoint.ts';

/** Stands in the built page for the largest batch of the service that serves it. */
export const MAX_BATCH_MARK = '{{maxBatch}}';

/**
 * `GET /openapi.json` and `GET /docs`: files of the program, with the limit of this service.
 * @param maxBatch maximum number of items in a batch
 * @throws OperatorError naming a file that is missing or damaged
 */
export function documentEndpoints(maxBatch: number): { readonly openApi: Endpoint; readonly page: Endpoint } {
  const openApi = readDocument('openapi.json', (text) => {
    const document = JSON.parse(text);
    document.components.schemas.BatchRequest.properties.requests.maxItems = maxBatch;
    return fileEndpoint(JSON.stringify(document), JSON_CONTENT_TYPE);
  });
  const page = readDocument('openapi.html', (text) => {
    const [, style] = text.split(/<\/?style>/);
    if (style === undefined || !text.includes(MAX_BATCH_MARK) || !text.endsWith('</html>\n')) {
      throw new Error('Incomplete page.');
    }
    const shown = text.replace(MAX_BATCH_MARK, String(maxBatch));
    return fileEndpoint(shown, 'text/html; charset=utf-8', pagePolicy(style));
  });
  return { openApi, page };
}

/** For a page with one inline style sheet and an icon. */
function pagePolicy(style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

function readDocument(name: string, serve: (text: string) => Endpoint): Endpoint {
  return readProgramFile(programPath(`pages/${name}`, `docs/${name}`), serve);
}
