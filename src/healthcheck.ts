import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

/**
 * Asks the service that runs beside it, over loopback, whether it is ready; for a container's HEALTHCHECK.
 *
 * Reads `SIGNING_PORT` (8080) and `SIGNING_TLS_CERT_FILE` (https when it is set). Exits 0 when the service answers that it is ready,
 * else 1 with one line on stderr.
 */

/** Longest wait for the whole answer, milliseconds. */
const TIMEOUT_MS = 2000;

/** A report is far shorter; more than this is none. Bytes. */
const MAX_ANSWER_LENGTH = 1024 * 1024;

const fault = await findFault(process.env);
if (fault !== undefined) {
  process.stderr.write(`unhealthy: ${fault}\n`);
  process.exitCode = 1;
}

async function findFault(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const port = environment['SIGNING_PORT'] || '8080';
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535) return 'SIGNING_PORT is not a port number (1 to 65535)';
  const scheme = environment['SIGNING_TLS_CERT_FILE'] ? 'https' : 'http';
  const url = `${scheme}://127.0.0.1:${port}/readyz`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await request(url, signal);
    const answer = await readText(response);
    if (response.statusCode !== 200) return `${url} answered with status ${response.statusCode}${missingIn(answer)}`;
    return isReady(answer) ? undefined : `${url} did not answer that it is ready`;
  } catch (error) {
    return `${url} did not answer: ${signal.aborted ? `nothing whole within ${TIMEOUT_MS} ms` : reasonOf(error)}`;
  }
}

function request(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // The certificate names the service, not 127.0.0.1, and nobody else can listen there in a container of its own.
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
    if (length > MAX_ANSWER_LENGTH) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function isReady(answer: string): boolean {
  try {
    const envelope = JSON.parse(answer);
    return envelope?.success === true && envelope?.data?.status === 'ready';
  } catch {
    return false;
  }
}

/** Names of the checks that failed, as far as the answer tells them. */
function missingIn(answer: string): string {
  try {
    const checks: { readonly [name: string]: { readonly ok?: unknown } } = JSON.parse(answer).error.details.checks;
    const failed = Object.entries(checks).filter(([name, check]) => /^\w+$/.test(name) && check.ok === false);
    return `: not ready (${failed.map(([name]) => name).join(', ')})`;
  } catch {
    return '';
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
