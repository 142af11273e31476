import { inspect } from 'node:util';
import {
  fillRequest,
  type MessageToSend,
  type RequestToSend,
  SigningClient,
  SigningClientError,
  sendRequest,
} from '../../../src/client/client.ts';
import { itFollowsTheContract } from './client-contract.ts';
import type { ContractOptions, DriverCall, DriverReply, DriverTransport } from './driver.ts';

const SPECIAL = { nan: Number.NaN, infinity: Number.POSITIVE_INFINITY, 'big-integer': 2 ** 53, date: new Date(0) };

type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>;

async function run(client: SigningClient, message: DriverCall): Promise<unknown> {
  const { call, requests, options, special, times = 0 } = message;
  const request = { ...message.request, ...(special !== undefined && { data: { list: [{ x: SPECIAL[special] }] } }) };
  if (call === 'fillMessage') return fillRequest(request as MessageToSend, message.values).message;
  if (call === 'sendRequest') {
    const response = await sendRequest(request as RequestToSend, message.values);
    return { status: response.status, body: await response.text() };
  }
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

/** The client in this process, with requests and results as JSON, like the others. */
class InProcess implements DriverTransport {
  #client: SigningClient | undefined;

  async send(given: object): Promise<DriverReply> {
    const message: DriverCall & { readonly open?: ContractOptions } = JSON.parse(JSON.stringify(given));
    return JSON.parse(JSON.stringify(await this.#reply(message)));
  }

  async end(): Promise<void> {
    this.#client?.close();
  }

  async #reply(message: DriverCall & { readonly open?: ContractOptions }): Promise<DriverReply> {
    try {
      if (message.open === undefined) return { ok: (this.#client && (await run(this.#client, message))) ?? null };
      const client = new SigningClient(message.open);
      this.#client?.close();
      this.#client = client;
      return { ok: { shown: `${inspect(client, { depth: 9 })} ${String(client)} ${JSON.stringify(client)}` } };
    } catch (error) {
      return { error: toDriverError(error) };
    }
  }
}

describe('The TypeScript client follows the contract of all clients', function () {
  this.timeout(30_000);
  itFollowsTheContract(() => new InProcess());
});
