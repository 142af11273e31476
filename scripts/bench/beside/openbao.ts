import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../tests/programs/free-port.ts';
import type { Signed } from './proof.ts';
import { type Run, runStartScript, type Service, untilReady } from './start.ts';

/*
 * OpenBao with the Transit engine: a server of one node with Raft storage, as in production, but
 * over plain HTTP, and a token that may only sign.
 * --audit-file: with a file audit device, which OpenBao never syncs.
 * --audit-sync-file: the same in a folder whose files the kernel syncs at each write (`chattr +S`
 * on ext2 to ext4).
 */

const BATCH = 100;
const POLICY = 'path "transit/sign/bench" { capabilities = ["update"] }';
const IS_SYNCED = process.argv.includes('--audit-sync-file');
const IS_AUDITED = IS_SYNCED || process.argv.includes('--audit-file');

/** HCL; the folder is the working directory's absolute path. */
function formatConfiguration(folder: string, port: number, clusterPort: number): string {
  const audit = `audit "file" "file" {
  options {
    file_path = "${folder}/audit/audit.log"
  }
}`;
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
${IS_AUDITED ? audit : ''}
`;
}

/** Calls the API. @throws Error for a status other than 2xx */
async function call(url: string, method: string, token?: string, body?: object): Promise<unknown> {
  const headers = token === undefined ? {} : { 'x-vault-token': token };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

async function start(folder: string, run: Run): Promise<Service> {
  const port = await freePort();
  for (const name of ['data', 'audit']) mkdirSync(join(folder, name));
  if (IS_SYNCED) execFileSync('chattr', ['+S', join(folder, 'audit')]);
  const file = join(folder, 'openbao.hcl');
  writeFileSync(file, formatConfiguration(folder, port, await freePort()));
  run('server', `-config=${file}`);
  const api = `http://127.0.0.1:${port}/v1`;
  const shares = { secret_shares: 1, secret_threshold: 1 };
  const init = (await untilReady(() => call(`${api}/sys/init`, 'PUT', undefined, shares))) as {
    readonly keys: readonly [string];
    readonly root_token: string;
  };
  const root = init.root_token;
  await call(`${api}/sys/unseal`, 'PUT', undefined, { key: init.keys[0] });
  await untilReady(() => call(`${api}/sys/health`, 'GET'));
  await untilReady(() => call(`${api}/sys/mounts/transit`, 'POST', root, { type: 'transit' }));
  await call(`${api}/transit/keys/bench`, 'POST', root, { type: 'ed25519' });
  await call(`${api}/sys/policies/acl/bench`, 'PUT', root, { policy: POLICY });
  const options = { policies: ['bench'], no_default_policy: true };
  const token = (await call(`${api}/auth/token/create`, 'POST', root, options)) as {
    readonly auth: { readonly client_token: string };
  };
  const key = (await call(`${api}/transit/keys/bench`, 'GET', root)) as {
    readonly data: { readonly keys: { readonly [version: string]: { readonly public_key: string } } };
  };
  const item = { input: '{{base64}}' };
  const audit = IS_AUDITED ? ', audit file' : '';
  return {
    name: `OpenBao Transit${IS_SYNCED ? ', synchronous audit file' : audit}`,
    url: `${api}/transit/sign/bench`,
    headers: { 'content-type': 'application/json', 'x-vault-token': token.auth.client_token },
    body: JSON.stringify(item),
    batchBody: JSON.stringify({ batch_input: new Array(BATCH).fill(item) }),
    publicKey: Buffer.from(key.data.keys['1']?.public_key ?? '', 'base64'),
  };
}

interface Input {
  readonly input: string;
}

interface Result {
  readonly signature: string;
}

/** Messages and signatures, also of a batch. */
function read(body: string, response: string): readonly Signed[] {
  const sent: Input & { readonly batch_input?: readonly Input[] } = JSON.parse(body);
  const { data }: { data: Result & { readonly batch_results?: readonly Result[] } } = JSON.parse(response);
  const inputs = sent.batch_input ?? [sent];
  const results = sent.batch_input ? (data.batch_results ?? []) : [data];
  if (inputs.length !== results.length) throw new Error('a result is missing');
  return inputs.map(({ input }, index) => ({
    message: Buffer.from(input, 'base64'),
    signature: Buffer.from(results[index]?.signature.replace(/^vault:v1:/, '') ?? '', 'base64'),
  }));
}

await runStartScript({
  file: import.meta.filename,
  variable: 'BENCH_OPENBAO',
  program: 'bao',
  versionArguments: ['version'],
  start,
  read,
});
