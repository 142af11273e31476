import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import type { Response } from 'express';
import {
  callContextOf,
  identifyCaller,
  openCall,
} from '../../../../../../src/adapters/driving/http/callers/call-context.ts';

function open(address: string | null, headers: IncomingHttpHeaders = {}) {
  const response = { locals: {} } as Response;
  return { context: openCall(address, headers, response), response };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('The context of a call', () => {
  const addresses: readonly (readonly [peer: string | null, recorded: string | null])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8::ffff:7', '2001:db8::ffff:7'],
    ['::ffff:1', '::ffff:1'],
    ['::1', '::1'],
    [null, null],
  ];
  for (const [peer, recorded] of addresses) {
    it(`has the peer ${peer ?? '(gone)'} as ${recorded ?? 'null'}`, () => {
      expect(open(peer).context.remoteAddress).to.equal(recorded);
    });
  }

  it('has a random UUID of its own, and no principal', () => {
    const [first, second] = [open('::1').context, open('::1').context];
    expect(first.correlationId).to.match(UUID);
    expect(first.correlationId).not.to.equal(second.correlationId);
    expect(first.principal).to.equal(null);
  });

  it('has the id that the caller gave it in X-Request-Id', () => {
    for (const id of ['order-17', 'a', '0b5e6d1c-1f0a-4c55-8a4e-0c6f5c0f3c11', 'x'.repeat(128), 'gateway:7.1@eu_1+2']) {
      expect(open('::1', { 'x-request-id': id }).context.correlationId).to.equal(id);
    }
  });

  it('has one of its own where X-Request-Id holds no id, or several', () => {
    for (const id of ['', ' ', 'a b', '-a', 'a\n', 'é', '"', 'a, b', '{}', '../..', 'x'.repeat(129), '\u001b[2J']) {
      expect(open('::1', { 'x-request-id': id }).context.correlationId, id).to.match(UUID);
    }
    expect(open('::1', { 'x-request-id': ['a', 'b'] }).context.correlationId).to.match(UUID);
  });

  it('has the traceparent of the caller, and none where it sent none', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(open('::1', { traceparent }).context.traceparent).to.equal(traceparent);
    expect(open('::1').context.traceparent).to.equal(null);
  });

  it('stays with its response', () => {
    const { context, response } = open('::1');
    expect(callContextOf(response)).to.equal(context);
  });

  it('names the caller once that was proved, and is the same otherwise', () => {
    const { context, response } = open('::1');
    identifyCaller(response, 'bot-1');
    expect(callContextOf(response)).to.deep.equal({ ...context, principal: 'bot-1' });
  });
});
