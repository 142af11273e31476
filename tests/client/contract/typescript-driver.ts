import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { SigningClient, SigningClientError } from '../../../src/client/client.ts';
import type { AskedCall, ContractOptions, Told } from './driver.ts';

/* Runs the contract of all clients: JSON lines in, JSON lines out. */

const SPECIAL = { nan: Number.NaN, infinity: Number.POSITIVE_INFINITY, 'big-integer': 2 ** 53, date: new Date(0) };

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

async function run(client: SigningClient, asked: AskedCall): Promise<unknown> {
  const { call, requests, options, special, times = 0 } = asked;
  const request = { ...asked.request, ...(special !== undefined && { data: { list: [{ x: SPECIAL[special] }] } }) };
  if (call === 'close') return client.close();
  if (call === 'signBatch') return client.signBatch(requests as never, options);
  if (call === 'eachAccount') {
    const accounts: unknown[] = [];
    for await (const account of client.eachAccount(request as object)) accounts.push(account);
    return accounts;
  }
  if (call === 'parallelSign') {
    return Promise.all(Array.from({ length: times }, () => client.sign(request as never)));
  }
  const method = (client as unknown as { readonly [name: string]: AnyMethod })[call];
  return method?.call(client, ...(call === 'reload' || call === 'status' ? [] : [request]), options);
}

function tell(error: unknown): NonNullable<Told['error']> {
  if (error instanceof SigningClientError) {
    const { kind, message } = error;
    const claimed = 'claimed' in error && error.claimed !== null ? { claimed: tell(error.claimed) } : {};
    return { ...error, kind, message, ...claimed } as NonNullable<Told['error']>;
  }
  const kind = error instanceof TypeError || error instanceof RangeError ? 'invalid' : 'unexpected';
  return { kind, message: String(error) };
}

let client: SigningClient | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line) as AskedCall & { readonly open?: ContractOptions };
  let told: object;
  try {
    if (asked.open !== undefined) {
      client = new SigningClient(asked.open);
      told = { ok: { shown: `${inspect(client, { depth: 9 })} ${String(client)} ${JSON.stringify(client)}` } };
    } else {
      told = { ok: client === undefined ? null : ((await run(client, asked)) ?? null) };
    }
  } catch (error) {
    told = { error: tell(error) };
  }
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
