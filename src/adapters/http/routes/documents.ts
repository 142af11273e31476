import { createHash } from 'node:crypto';
import { programPath, readProgramFile } from '../../files/program-file.ts';
import { JSON_CONTENT_TYPE } from '../responses.ts';
import type { Endpoint } from '../route.ts';

/** A page with one inline style sheet and an icon (W3C CSP Level 3). */
const PAGE_POLICY =
  "default-src 'none'; style-src 'sha256-STYLE'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `GET /openapi.json` and `GET /docs`: files of the program, with the limit of this service.
 * @param maxBatch maximum number of items in a batch
 * @throws OperatorError naming a file that is missing or damaged
 */
export function documentEndpoints(maxBatch: number): { readonly openApi: Endpoint; readonly page: Endpoint } {
  const document = readDocument('openapi.json', (text) => {
    const parsed = JSON.parse(text);
    parsed.components.schemas.BatchRequest.properties.requests.maxItems = maxBatch;
    return JSON.stringify(parsed);
  });
  let policy = '';
  const page = readDocument('openapi.html', (text) => {
    const [, style] = text.split(/<\/?style>/);
    const [start, end] = text.split('1 to 1000 items');
    if (style === undefined || end?.endsWith('</html>\n') !== true) throw new Error('Incomplete page.');
    policy = PAGE_POLICY.replace('STYLE', createHash('sha256').update(style).digest('base64'));
    return `${start}1 to ${maxBatch} items${end}`;
  });
  return {
    openApi: fileEndpoint(document, { 'Content-Type': JSON_CONTENT_TYPE }),
    page: fileEndpoint(page, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }),
  };
}

function readDocument(name: string, complete: (text: string) => string): Buffer {
  return Buffer.from(readProgramFile(programPath(`pages/${name}`, `docs/${name}`), complete));
}

/** Responses share the bytes. */
function fileEndpoint(bytes: Buffer, headers: { readonly [name: string]: string }): Endpoint {
  return {
    handle({ response }) {
      response.writeHead(200, { ...headers, 'Content-Length': bytes.length }).end(bytes);
      return undefined;
    },
  };
}
