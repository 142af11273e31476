import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../tests/programs/free-port.ts';
import type { PostRequest } from '../load/http-connection.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import type { Target, Work } from './rounds.ts';

/*
 * OpenBao's Transit engine: a server of one node with Raft storage and a file audit device, which
 * it never syncs, as in production, but over plain HTTP, and a token that may only sign. Needs `bao`
 * on PATH or in BENCH_OPENBAO.
 */

const PROGRAM = process.env['BENCH_OPENBAO'] ?? 'bao';
const POLICY = 'path "transit/sign/bench" { capabilities = ["update"] }';
const READY_MS = 30_000;
const BATCH_ITEMS = 100;

/** A running OpenBao. */
export interface OpenBao {
  /** `OpenBao 2.4.0`. */
  readonly name: string;
  readonly target: Target;
  readonly token: string;
  readonly publicKey: KeyObject;
}

/** HCL; the folder is an absolute path. */
function formatConfiguration(folder: string, port: number, clusterPort: number): string {
  return `storage "raft" {
  path = "${folder}/data"
  node_id = "bench"
}
listener "tcp" {
  address = "127.0.0.1:${port}"
  cluster_address = "127.0.0.1:${clusterPort}"
  tls_disable = true
}
api_addr = "http://127.0.0.1:${port}"
cluster_addr = "https://127.0.0.1:${clusterPort}"
audit "file" "file" {
  options {
    file_path = "${folder}/audit.log"
  }
}
`;
}

/** Starts OpenBao and creates an ed25519 key. @throws Error if there is none */
export async function startOpenBao(cleanup: Cleanup): Promise<OpenBao> {
  const version = execFileSync(PROGRAM, ['version'], { encoding: 'utf8' });
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-bench-'));
  mkdirSync(join(folder, 'data'));
  const [port, file] = [await freePort(), join(folder, 'openbao.hcl')];
  writeFileSync(file, formatConfiguration(folder, port, await freePort()));
  const child = spawn(PROGRAM, ['server', `-config=${file}`], { stdio: 'ignore' });
  cleanup.add(() => end(child, folder));

  const call = callerOf(`http://127.0.0.1:${port}/v1`);
  const init = await untilReady(() => call('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 }));
  const root: string = init.root_token;
  await call('PUT', 'sys/unseal', { key: init.keys[0] });
  await untilReady(() => call('GET', 'sys/health'));
  await untilReady(() => call('POST', 'sys/mounts/transit', { type: 'transit' }, root));
  await call('POST', 'transit/keys/bench', { type: 'ed25519' }, root);
  await call('PUT', 'sys/policies/acl/bench', { policy: POLICY }, root);
  const { auth } = await call('POST', 'auth/token/create', { policies: ['bench'], no_default_policy: true }, root);
  const { data } = await call('GET', 'transit/keys/bench', undefined, root);
  const x = Buffer.from(data.keys['1'].public_key, 'base64').toString('base64url');
  return {
    name: `OpenBao ${/\d+\.\d+\.\d+/.exec(version)?.[0]}`,
    target: { port, pid: Number(child.pid) },
    token: auth.client_token,
    publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
  };
}

/** The same work as the service's: 64 callers of single signatures, or four of batches. */
export function openBaoWork({ token, publicKey }: OpenBao, isBatch: boolean, payloadBytes: number): Work<PostRequest> {
  const item = () => ({ input: randomBytes(payloadBytes).toString('base64') });
  const makeBody = () => (isBatch ? { batch_input: Array.from({ length: BATCH_ITEMS }, item) } : item());
  const requests = Array.from({ length: isBatch ? 40 : 1024 }, () => ({
    path: '/v1/transit/sign/bench',
    headers: { 'X-Vault-Token': token },
    body: JSON.stringify(makeBody()),
  }));
  return {
    requests,
    signaturesPerRequest: isBatch ? BATCH_ITEMS : 1,
    pace: { callers: isBatch ? 4 : 64 },
    check: ({ request, body }) => {
      const sent = JSON.parse(request.body);
      const { data } = JSON.parse(body);
      const [{ input }, { signature }] = isBatch ? [sent.batch_input[0], data.batch_results[0]] : [sent, data];
      const bytes = Buffer.from(signature.replace('vault:v1:', ''), 'base64');
      if (!verify(null, Buffer.from(input, 'base64'), publicKey, bytes)) throw new Error('OpenBao signed wrongly.');
    },
  };
}

/** Calls of the API, which throw an Error for a status other than 2xx. */
function callerOf(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: responses vary; a wrong path ends the benchmark.
  return async (method: string, path: string, body?: object, token?: string): Promise<any> => {
    const headers = token === undefined ? {} : { 'x-vault-token': token };
    const response = await fetch(`${url}/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Repeats a call that fails until the server is ready. @throws its last error */
async function untilReady<Result>(call: () => Promise<Result>): Promise<Result> {
  for (const last = performance.now() + READY_MS; ; await sleep(100)) {
    try {
      return await call();
    } catch (error) {
      if (performance.now() > last) throw error;
    }
  }
}
