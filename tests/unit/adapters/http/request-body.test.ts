import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { BodyBudget } from '../../../../src/adapters/http/admission/body-budget.ts';
import { type ReceivedBody, readBody } from '../../../../src/adapters/http/request-body.ts';

/** A request whose body a test sends. */
function requestOf(headers: { readonly [name: string]: string } = {}, writable = true): PassThrough & IncomingMessage {
  const body = new PassThrough();
  return Object.assign(body, {
    headers: { 'content-type': 'application/json', ...headers },
    socket: { writable },
  }) as never;
}

function budgetOf(bytes: number): BodyBudget {
  return new BodyBudget({ small: bytes, large: bytes });
}

/** Reads with reserved memory. */
async function read(request: IncomingMessage, budget: BodyBudget): Promise<ReceivedBody> {
  const room = budget.reserve(request);
  return room === null ? null : readBody(request, room);
}

describe('readBody', () => {
  it('does not wait for the body of a caller that has disconnected or has its response', async () => {
    const broken = { path: '', message: 'ended before the body was complete' };
    const whole = requestOf({ 'content-length': '8' }, false);
    whole.end('{"a":1 }');
    const destroyed = requestOf({ 'content-length': '8' }, false);
    destroyed.destroy();
    for (const request of [whole, destroyed]) {
      expect(await read(request, budgetOf(100)))
        .to.have.nested.property('refusal.details.issues')
        .that.deep.equals([broken]);
    }
  });

  it('drops a chunked body as soon as it exceeds the free memory', async () => {
    const budget = budgetOf(100_000);
    void read(requestOf({ 'content-length': '100000' }), budget);
    const request = requestOf();
    const reading = read(request, budget);
    for (let written = 0; written < 30_000; written += 10_000) request.write('x'.repeat(10_000));
    expect(await reading).to.equal(null);
  });

  it('refuses a small body if no memory is left to process it', async () => {
    const budget = budgetOf(10);
    const first = requestOf({ 'content-length': '8' });
    first.end('{"a":1 }');
    expect(await read(first, budget)).to.have.property('ok', true);
    const whole = requestOf({ 'content-length': '8' });
    whole.end('{"a":1 }');
    expect(await read(whole, budget)).to.equal(null);
    const chunked = requestOf();
    chunked.end('{"a":1 }');
    expect(await read(chunked, budget)).to.equal(null);
  });
});
