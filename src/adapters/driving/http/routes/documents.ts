import type { Response } from 'express';
import { answerRefusal, JSON_CONTENT_TYPE } from '../envelope.ts';
import type { DocumentedLimits } from '../openapi/api-document.ts';
import { DOCUMENT_PATHS, type Route } from '../route.ts';

const HTML_CONTENT_TYPE = 'text/html; charset=utf-8';

/**
 * `GET /openapi.json` and `GET /docs`: how to call the API. They hold nothing of accounts and settings but the limits, and are the same for everybody. Both are made when they are first asked for, and kept: what makes them is not even loaded before, so that no start is longer for them.
 */
export function documentRoutes(limits: DocumentedLimits): readonly Route[] {
  const document = madeOnce(async () => {
    const { apiDocument } = await import('../openapi/api-document.ts');
    return apiDocument(limits);
  });
  const openApi = madeOnce(async () => Buffer.from(JSON.stringify(await document())));
  const page = madeOnce(async () => {
    const { documentationPage } = await import('../documentation/documentation-page.ts');
    const { html, contentSecurityPolicy } = documentationPage(await document());
    return { html: Buffer.from(html), contentSecurityPolicy };
  });
  return [
    {
      method: 'get',
      path: DOCUMENT_PATHS.openApi,
      queryParameters: [],
      refuse: answerRefusal,
      async handle(_request, response) {
        answerBytes(response, JSON_CONTENT_TYPE, await openApi());
      },
    },
    {
      method: 'get',
      path: DOCUMENT_PATHS.page,
      queryParameters: [],
      refuse: answerRefusal,
      async handle(_request, response) {
        const { html, contentSecurityPolicy } = await page();
        response.setHeader('Content-Security-Policy', contentSecurityPolicy);
        answerBytes(response, HTML_CONTENT_TYPE, html);
      },
    },
  ];
}

function answerBytes(response: Response, contentType: string, bytes: Buffer): void {
  response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': bytes.length });
  response.end(bytes);
}

/** Whoever asks while it is made waits for the same; what failed is tried again. */
function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
