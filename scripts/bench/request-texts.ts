import { type AccountName, accountName } from '../load/account-names.ts';
import { dataOf, type Wish } from '../load/load-process.ts';

/** What one sort of request asks for. */
export interface RequestKind {
  readonly algorithm: AccountName['algorithm'];
  /** The installation has the accounts from number 0 to below this one; those of the algorithm are used. */
  readonly accounts: number;
  /** Items of a batch; null: one signature a request. */
  readonly batch: number | null;
  /** How many requests there are, all different. */
  readonly different: number;
}

/** A request as it is sent, made before anything is measured. */
export interface MadeRequest {
  readonly bytes: Buffer;
  readonly wishes: readonly Wish[];
}

/** Makes the requests of a kind. Accounts come in random order, each once before any comes again. */
export function makeRequests({ algorithm, accounts, batch, different }: RequestKind): readonly MadeRequest[] {
  const numbers = shuffled(
    Array.from({ length: accounts }, (_, number) => number).filter(
      (number) => accountName(number).algorithm === algorithm,
    ),
  );
  if (numbers.length === 0) throw new RangeError(`None of ${accounts} accounts is for ${algorithm}.`);
  let call = 0;
  const next = (): Wish => {
    call += 1;
    return { account: numbers[call % numbers.length] ?? 0, call };
  };
  return Array.from({ length: different }, () => {
    const wishes = Array.from({ length: batch ?? 1 }, next);
    return { wishes, bytes: requestBytes(wishes, batch !== null) };
  });
}

function requestBytes(wishes: readonly Wish[], isBatch: boolean): Buffer {
  const body = JSON.stringify(
    isBatch
      ? { requests: wishes.map((wish) => ({ requestId: String(wish.call), ...signRequest(wish) })) }
      : wishes.map(signRequest)[0],
  );
  const path = isBatch ? '/api/v1/sign/batch' : '/api/v1/sign';
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function signRequest(wish: Wish): object {
  const { platformId, accountId } = accountName(wish.account);
  return { platformId, accountId, data: dataOf(wish) };
}

/** Fisher and Yates. */
function shuffled(numbers: readonly number[]): readonly number[] {
  const mixed = [...numbers];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] ?? 0, mixed[last] ?? 0];
  }
  return mixed;
}
