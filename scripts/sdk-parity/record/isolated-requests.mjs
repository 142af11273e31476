/*
 * Runs other programs' clients with a fixed clock and without a network, and records the requests
 * that they sign. Imported before any client.
 */
import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Load clients by name, which are no dependencies of this repository. */
export const load = (name) => import(name);
export const loadCommonJs = createRequire(import.meta.url);

/** Reserved characters of RFC 3986 §2.2 and a space; without `&`. */
export const RESERVED = 'a/b:c+d,e f=g';

/** A symbol that Binance lists. */
export const NON_ASCII = '币安人生USDT';

/** The test keys of the records, as in `clients.ts`. */
export const KEYS = JSON.parse(process.argv[3]);

/** The Ed25519 key as PEM. */
export const PEM = KEYS.ed25519Pem;

/** Time of every request, milliseconds since 1970-01-01T00:00:00Z. */
const NOW = 1_700_000_000_000;

/** A client that sends no request within this time signed none. */
const LIMIT_MS = 2_000;

const results = [];
/** Requests, HMAC inputs, and signed members of `data` that are not sent, of the current case. */
let requests = [];
let signed = [];
let unsent = {};
/** Values of the account that are signed and not sent. */
let values = {};

freezeClock();
closeNetwork();
observeHmacs();

/**
 * Records what one call of a client signs.
 * @param about `{preset, kind, source}`, optionally with `rule` and `values`
 * @param call sends one request, or returns it as `{method, url, headers, body}`; or, of what is
 *   signed apart from a request, its `signature`
 */
export async function record(about, call) {
  requests = [];
  signed = [];
  unsent = {};
  values = {};
  let problem;
  // Clients fail on the empty response; only a client that sent nothing has failed here.
  const calling = (async () => call())().catch((error) => {
    problem = String(error?.message ?? error);
  });
  const returned = await Promise.race([calling, sleep(LIMIT_MS)]);
  const request = isRequest(returned) ? returned : requests[0];
  const signature = returned?.signature;
  if (request === undefined && signature === undefined) results.push({ ...about, problem: problem ?? 'no request' });
  else results.push({ ...about, ...(request && { request: normalize(request) }), signature, signed, unsent, values });
}

/** Records calls by kind. @param about preset and source */
export async function recordAll(about, calls) {
  for (const [kind, call] of Object.entries(calls)) await record({ ...about, kind }, call);
}

/** Writes the records to the file of the command line and ends the process. */
export function finish() {
  writeFileSync(process.argv[2], JSON.stringify(results));
  process.exit(0);
}

/** A message of a WebSocket. */
export function toMessage(message, url = 'https://unsent.invalid/') {
  return { method: 'MESSAGE', url, headers: {}, body: JSON.stringify(message) };
}

/** Adds a HMAC input; for clients that bring their own HMAC. @param text string or bytes */
export function addSigned(text) {
  signed.push(Buffer.from(text).toString('hex'));
}

/** Adds members of `data` that are signed and not sent. */
export function addUnsent(members) {
  Object.assign(unsent, members);
}

/** Adds values of the account that are signed and not sent. */
export function addUnsentValues(members) {
  Object.assign(values, members);
}

function isRequest(value) {
  return typeof value?.url === 'string' && typeof value.method === 'string';
}

/** With names of headers in lowercase. */
export function normalize({ method, url, headers, body }) {
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { method: method.toUpperCase(), url, headers: Object.fromEntries(named), body: body ?? '' };
}

function freezeClock() {
  const RealDate = globalThis.Date;
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [NOW] : parts));
    }

    static now() {
      return NOW;
    }
  };
}

/** Connects every HTTP client to a server in this process; other connections and programs fail. */
function closeNetwork() {
  const server = http.createServer(async (message, response) => {
    const chunks = await message.toArray();
    const url = `https://${message.headers.host}${message.url}`;
    requests.push({ method: message.method, url, headers: message.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const connect = () => {
    const [clientSide, serverSide] = duplexPair();
    for (const name of ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'])
      clientSide[name] = () => clientSide;
    server.emit('connection', serverSide);
    return clientSide;
  };
  http.Agent.prototype.createConnection = connect;
  https.Agent.prototype.createConnection = connect;
  globalThis.fetch = async (input, options) => {
    const request = new Request(input, options);
    const body = await request.text();
    requests.push({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body });
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const refuse = () => {
    throw new Error('no network and no programs here');
  };
  Socket.prototype.connect = refuse;
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    childProcess[name] = refuse;
  }
  syncBuiltinESMExports();
}

function observeHmacs() {
  const { createHmac } = crypto;
  // A function: some clients call it with `new`.
  crypto.createHmac = function createObservedHmac(...options) {
    const hmac = createHmac(...options);
    const update = hmac.update.bind(hmac);
    const chunks = [];
    hmac.update = (data, encoding) => {
      chunks.push(typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data));
      update(data, encoding);
      return hmac;
    };
    const digest = hmac.digest.bind(hmac);
    hmac.digest = (encoding) => {
      signed.push(Buffer.concat(chunks).toString('hex'));
      return digest(encoding);
    };
    return hmac;
  };
  const sign = crypto.webcrypto.subtle.sign.bind(crypto.webcrypto.subtle);
  globalThis.crypto.subtle.sign = (algorithm, key, data) => {
    addSigned(data instanceof ArrayBuffer ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return sign(algorithm, key, data);
  };
  syncBuiltinESMExports();
}
