import type { Response } from 'express';
import type { DocumentedLimits } from '../openapi/api-document.ts';
import { JSON_CONTENT_TYPE } from '../responses.ts';
import type { Endpoint } from '../route.ts';

const HTML_CONTENT_TYPE = 'text/html; charset=utf-8';

/**
 * `GET /openapi.json` and `GET /docs`: documentation with limits but no other settings. Loaded on
 * first use, to keep startup short.
 */
export function documentEndpoints(limits: DocumentedLimits): { readonly openApi: Endpoint; readonly page: Endpoint } {
  const document = memoizeAsync(async () => {
    const { apiDocument } = await import('../openapi/api-document.ts');
    return apiDocument(limits);
  });
  const openApi = memoizeAsync(async () => Buffer.from(JSON.stringify(await document())));
  const page = memoizeAsync(async () => {
    const { documentationPage } = await import('../documentation/documentation-page.ts');
    const { html, contentSecurityPolicy } = documentationPage(await document());
    return { html: Buffer.from(html), contentSecurityPolicy };
  });
  return {
    openApi: { handle: async ({ response }) => sendBytes(response, JSON_CONTENT_TYPE, await openApi()) },
    page: {
      async handle({ response }) {
        const { html, contentSecurityPolicy } = await page();
        response.setHeader('Content-Security-Policy', contentSecurityPolicy);
        return sendBytes(response, HTML_CONTENT_TYPE, html);
      },
    },
  };
}

function sendBytes(response: Response, contentType: string, bytes: Buffer): undefined {
  response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': bytes.length });
  response.end(bytes);
}

/** Memoizes a promise; retries after a failure. */
function memoizeAsync<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let cached: Promise<Result> | null = null;
  return () => {
    cached ??= load().catch((error: unknown) => {
      cached = null;
      throw error;
    });
    return cached;
  };
}
