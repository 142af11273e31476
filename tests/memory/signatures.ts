import type { ServiceProcess } from '../e2e/service-process.ts';
import { SIGNING_PROOFS } from '../e2e/signing-proofs.ts';
import type { KnownAccount } from './accounts.ts';

/** Requests that wait for their answer at the same time. */
const IN_FLIGHT = 8;

/**
 * Signs `times` with each account in turn, one signature a request, over connections that stay open. The last signature of each account is
 * verified with what was worked out from the key: the keys that are looked for are the keys that sign.
 * @throws Error at the first answer that is not as it has to be
 */
export async function signWithEach(
  service: ServiceProcess,
  accounts: readonly KnownAccount[],
  times: number,
): Promise<void> {
  const total = times * accounts.length;
  let next = 0;
  const worker = async () => {
    while (next < total) {
      const index = next;
      next += 1;
      const account = accounts[index % accounts.length];
      if (account !== undefined) await sign(service, account, `request ${index}`, index >= total - accounts.length);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

async function sign(
  service: ServiceProcess,
  { accountId, algorithm, key, publicKey }: KnownAccount,
  text: string,
  isLast: boolean,
): Promise<void> {
  const { platformId, dataOf, isSignature } = SIGNING_PROOFS[algorithm];
  const { status, body } = await service.post('/sign', { platformId, accountId, data: dataOf(text) });
  if (status !== 200) throw new Error(`${accountId}: the service answered ${status} ${JSON.stringify(body)}`);
  if (isLast && !isSignature({ text, publicKey, signature: body.data.signature, key })) {
    throw new Error(`${accountId}: the signature is not that of its key.`);
  }
}
