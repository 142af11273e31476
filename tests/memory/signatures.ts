import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { SIGNING_PROOFS } from '../e2e/signing-proofs.ts';
import type { Answer, ServiceProcess } from '../harness/service-process.ts';
import type { KnownAccount } from './accounts.ts';

/** Concurrent requests. */
const IN_FLIGHT = 8;

/** An account's last signature and its input. */
export interface LastSignature {
  readonly account: KnownAccount;
  /** 0x-hex of the signed 32 bytes; secp256k1 only. */
  readonly digest: string | undefined;
  readonly signature: string;
}

/**
 * Signs `times` with each account in turn, one per request, over keep-alive connections. Verifies
 * each account's last signature: the sought keys are the signing keys.
 * @returns each account's last signature
 * @throws Error on the first invalid response
 */
export async function signWithEach(
  service: ServiceProcess,
  accounts: readonly KnownAccount[],
  times: number,
): Promise<readonly LastSignature[]> {
  const total = times * accounts.length;
  let next = 0;
  const last: LastSignature[] = [];
  const connections = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  const worker = async () => {
    while (next < total) {
      const index = next;
      next += 1;
      const account = accounts[index % accounts.length];
      if (account !== undefined) {
        const text = `request ${index}`;
        const signature = await sign(service, connections, account, text);
        if (index >= total - accounts.length) last.push(checked(account, text, signature));
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  } finally {
    connections.destroy();
  }
  return last;
}

async function sign(
  service: ServiceProcess,
  connections: Agent,
  { accountId, algorithm }: KnownAccount,
  text: string,
): Promise<string> {
  const { platformId, dataOf } = SIGNING_PROOFS[algorithm];
  const { status, body } = await post(`${service.url}/api/v1/sign`, connections, {
    platformId,
    accountId,
    data: dataOf(text),
  });
  if (status !== 200) throw new Error(`${accountId}: the service answered ${status} ${JSON.stringify(body)}`);
  return body.data.signature;
}

function checked(account: KnownAccount, text: string, signature: string): LastSignature {
  const { accountId, algorithm, key, publicKey } = account;
  const { digestOf, isSignature } = SIGNING_PROOFS[algorithm];
  if (!isSignature({ text, publicKey, signature, key })) {
    throw new Error(`${accountId}: the signature is not that of its key.`);
  }
  return { account, digest: digestOf?.(text), signature };
}

/** fetch doubles the CPU time. */
function post(url: string, agent: Agent, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } });
    call.once('error', reject);
    call.once('response', (response) => {
      text(response).then(
        (result) => resolve({ status: Number(response.statusCode), body: JSON.parse(result) }),
        reject,
      );
    });
    call.end(JSON.stringify(body));
  });
}
