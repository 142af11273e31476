import type { RequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import { networkNotAllowed } from '../http-refusal.ts';
import type { NetworkList } from '../networks/network-list.ts';
import { noticesTogether } from '../notices-together.ts';

const WARNING =
  'Requests from outside the allowed networks were refused. If the caller is one of yours, add its network to SIGNING_ALLOWED_NETWORKS; if it came through a proxy, name that in SIGNING_TRUSTED_PROXIES.';

/** Answers 403 to callers outside the networks that are served, before anything of their request is looked at. The service log tells of them, at most once a minute. */
export function refuseOutsiders(allowed: NetworkList, log: ServiceLog): RequestHandler {
  let lastAddress: string | null = null;
  const notice = noticesTogether((refused) => log.warn(WARNING, { refused, lastAddress }));
  return (_request, response, next) => {
    const { remoteAddress } = callContextOf(response);
    if (remoteAddress !== null && allowed.includes(remoteAddress)) return next();
    lastAddress = remoteAddress;
    notice();
    // What follows on this connection comes from the same place, and a body that is on its way is not waited for.
    response.setHeader('Connection', 'close');
    answerRefusal(response, networkNotAllowed());
  };
}
