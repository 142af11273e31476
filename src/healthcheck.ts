import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

/**
 * HEALTHCHECK of a container: queries /readyz of the service over loopback.
 *
 * Reads `SIGNING_PORT` (8080) and `SIGNING_TLS_CERT_FILE` (HTTPS if set). Exits with 0 if the
 * service is ready, else with 1 and one line on standard error.
 */

/** Longest wait for the whole response, milliseconds. */
const TIMEOUT_MS = 2000;

/** Well above the size of a report, bytes. */
const MAX_RESPONSE_LENGTH = 1024 * 1024;

const issue = await findIssue(process.env);
if (issue !== undefined) {
  process.stderr.write(`unhealthy: ${issue}\n`);
  process.exitCode = 1;
}

async function findIssue(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const port = environment['SIGNING_PORT'] || '8080';
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535) return 'SIGNING_PORT is not a port number (1 to 65535)';
  const scheme = environment['SIGNING_TLS_CERT_FILE'] ? 'https' : 'http';
  const url = `${scheme}://127.0.0.1:${port}/readyz`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await request(url, signal);
    const body = await readText(response);
    if (response.statusCode !== 200)
      return `${url} returned HTTP status ${response.statusCode}${formatFailedChecks(body)}`;
    return isReady(body) ? undefined : `${url} did not report that it is ready`;
  } catch (error) {
    return `${url} failed: ${signal.aborted ? `no complete response within ${TIMEOUT_MS} ms` : formatReason(error)}`;
  }
}

function request(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // The certificate names the service, not 127.0.0.1; nothing else listens there in its
    // container.
    const sent = url.startsWith('https:')
      ? getHttps(url, { signal, agent: false, rejectUnauthorized: false }, resolve)
      : getHttp(url, { signal, agent: false }, resolve);
    sent.once('error', reject);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_RESPONSE_LENGTH) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isReady(body: string): boolean {
  try {
    const envelope = JSON.parse(body);
    return envelope?.success === true && envelope?.data?.status === 'ready';
  } catch {
    return false;
  }
}

/** Names of the failed checks. */
function formatFailedChecks(body: string): string {
  try {
    const checks: { readonly [name: string]: { readonly ok?: unknown } } = JSON.parse(body).error.details.checks;
    const failed = Object.entries(checks).filter(([name, check]) => /^\w+$/.test(name) && check.ok === false);
    return `: not ready (${failed.map(([name]) => name).join(', ')})`;
  } catch {
    return '';
  }
}

function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
