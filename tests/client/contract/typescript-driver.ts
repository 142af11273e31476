import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { SigningClient, SigningClientError } from '../../../src/client/client.ts';
import { type ContractOptions, type DriverCall, type DriverReply, toLine } from './driver.ts';

/* Runs the contract of all clients: JSON lines in, JSON lines out. */

const SPECIAL = { nan: Number.NaN, infinity: Number.POSITIVE_INFINITY, 'big-integer': 2 ** 53, date: new Date(0) };

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

async function run(client: SigningClient, message: DriverCall): Promise<unknown> {
  const { call, requests, options, special, times = 0 } = message;
  const request = { ...message.request, ...(special !== undefined && { data: { list: [{ x: SPECIAL[special] }] } }) };
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

function toDriverError(error: unknown): NonNullable<DriverReply['error']> {
  if (error instanceof SigningClientError) {
    const { kind, message } = error;
    const claimed = 'claimed' in error && error.claimed !== null ? { claimed: toDriverError(error.claimed) } : {};
    return { ...error, kind, message, ...claimed } as NonNullable<DriverReply['error']>;
  }
  const kind = error instanceof TypeError || error instanceof RangeError ? 'invalid' : 'unexpected';
  return { kind, message: String(error) };
}

let client: SigningClient | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as DriverCall & { readonly open?: ContractOptions };
  let reply: object;
  try {
    if (message.open !== undefined) {
      client = new SigningClient(message.open);
      reply = { ok: { shown: `${inspect(client, { depth: 9 })} ${String(client)} ${JSON.stringify(client)}` } };
    } else {
      reply = { ok: client === undefined ? null : ((await run(client, message)) ?? null) };
    }
  } catch (error) {
    reply = { error: toDriverError(error) };
  }
  process.stdout.write(toLine(reply));
}
