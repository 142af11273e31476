import type { ServiceProcess } from '../e2e/service-process.ts';
import { type KnownAccount, PLATFORM } from './accounts.ts';
import { ALGORITHM_KNOWLEDGE } from './algorithms.ts';

/** Requests that wait for their answer at the same time. */
const IN_FLIGHT = 8;

/**
 * Signs `times` with each account in turn, one signature a request, over connections that stay open. The last signature of each account is
 * verified: the keys that are looked for are the keys that sign.
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
  { accountId, algorithm, key }: KnownAccount,
  text: string,
  isLast: boolean,
): Promise<void> {
  const { status, body } = await service.post('/sign', { platformId: PLATFORM, accountId, data: { text } });
  if (status !== 200) throw new Error(`${accountId}: the service answered ${status} ${JSON.stringify(body)}`);
  if (isLast && !ALGORITHM_KNOWLEDGE[algorithm].isSignature(key, text, body.data.signature)) {
    throw new Error(`${accountId}: the signature is not that of its key.`);
  }
}
