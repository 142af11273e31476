import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { answerRefusal } from '../envelope.ts';
import { pageNotServed } from '../http-refusal.ts';
import { noticesTogether } from '../notices-together.ts';

const WARNING =
  'Requests that pages in a browser made were refused: somebody inside has a page open that calls this service.';

/**
 * Answers 403 to what a page in a browser asks for: the browser of somebody inside is in an allowed network, whosever page it shows, and by a name that its owner points at this service (DNS rebinding) the page could even
 * read the answer. Browsers say so themselves, in headers that no page can leave out or change (`Origin`, Fetch Standard §3.2; `Sec-Fetch-Site`, W3C Fetch Metadata §2.3). Over plain HTTP they leave both out of some GETs, which is left as it is. What a person opens by its address is served.
 */
export function refusePages(log: ServiceLog): RequestHandler {
  const notice = noticesTogether((refused) => log.warn(WARNING, { refused }));
  return (request, response, next) => {
    if (!isOfPage(request)) return next();
    notice();
    // A body that is on its way is not waited for.
    response.setHeader('Connection', 'close');
    answerRefusal(response, pageNotServed());
  };
}

function isOfPage({ headers }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate';
}
