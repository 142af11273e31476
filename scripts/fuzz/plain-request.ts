import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import type { SecureContext } from 'node:tls';
import type { Answer } from '../../tests/e2e/service-process.ts';

const TIMEOUT_MS = 10_000;

/**
 * A request of an ordinary client, on a connection of its own. The service's certificate is not checked: it is that of the tests.
 * @param secureContext what the client shows over HTTPS; null for nothing
 */
export function plainRequest(url: string, secureContext: SecureContext | null, body?: object): Promise<Answer> {
  const send = url.startsWith('https:') ? requestTls : requestPlain;
  const options = {
    agent: false,
    rejectUnauthorized: false,
    ...(secureContext !== null && { secureContext }),
    timeout: TIMEOUT_MS,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
  };
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }), reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
