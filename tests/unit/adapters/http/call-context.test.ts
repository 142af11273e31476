import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import type { Response } from 'express';
import {
  getCallContext,
  getTraceparent,
  identifyCaller,
  openCall,
} from '../../../../src/adapters/http/call-context.ts';

function open(address: string | null, headers: IncomingHttpHeaders = {}) {
  const response = { locals: {} } as Response;
  return { context: openCall(address, headers, response), response };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('The context of a call', () => {
  it('records the address of the peer, IPv4 without its IPv6 form', () => {
    for (const [peer, recorded] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8::ffff:7', '2001:db8::ffff:7'],
      [null, null],
    ]) {
      expect(open(peer ?? null).context.remoteAddress).to.equal(recorded);
    }
  });

  it('has a new random UUID, and no principal', () => {
    const [first, second] = [open('::1').context, open('::1').context];
    expect(first.correlationId).to.match(UUID);
    expect(first.correlationId).not.to.equal(second.correlationId);
    expect(first.principal).to.equal(null);
  });

  it('uses the X-Request-Id of the caller', () => {
    for (const id of ['order-17', 'a', '0b5e6d1c-1f0a-4c55-8a4e-0c6f5c0f3c11', 'x'.repeat(128), 'gateway:7.1@eu_1+2']) {
      expect(open('::1', { 'x-request-id': id }).context.correlationId).to.equal(id);
    }
  });

  it('has a new id if X-Request-Id is invalid or repeated', () => {
    for (const id of ['', ' ', 'a b', '-a', 'a\n', 'é', '"', 'a, b', '{}', '../..', 'x'.repeat(129), '\u001b[2J']) {
      expect(open('::1', { 'x-request-id': id }).context.correlationId, id).to.match(UUID);
    }
    expect(open('::1', { 'x-request-id': ['a', 'b'] }).context.correlationId).to.match(UUID);
  });

  it('names the caller once authenticated, and is otherwise unchanged', () => {
    const { context, response } = open('::1');
    identifyCaller(response, 'bot-1');
    expect(getCallContext(response)).to.deep.equal({ ...context, principal: 'bot-1' });
  });
});

/** The example of W3C Trace Context §3.2.2.5. */
const EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('getTraceparent', () => {
  it('accepts the examples of the standard, sampled or not', () => {
    expect(getTraceparent(EXAMPLE)).to.equal(EXAMPLE);
    expect(getTraceparent(EXAMPLE.replace(/01$/, '00'))).to.equal(EXAMPLE.replace(/01$/, '00'));
  });

  it('accepts the known fields of a later version, and ignores the rest', () => {
    const later = `cc${EXAMPLE.slice(2)}`;
    expect(getTraceparent(later)).to.equal(later);
    expect(getTraceparent(`${later}-what-the-future-will-be-like`)).to.equal(later);
    expect(getTraceparent(`${later}.what-the-future-will-not-be-like`)).to.equal(null);
  });

  it('ignores anything else', () => {
    for (const header of [
      undefined,
      '',
      [EXAMPLE, EXAMPLE],
      // Two, as Node joins them.
      `${EXAMPLE}, ${EXAMPLE}`,
      `ff${EXAMPLE.slice(2)}`,
      `${EXAMPLE}-00`,
      `${EXAMPLE} `,
      EXAMPLE.toUpperCase(),
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
      EXAMPLE.slice(1),
      EXAMPLE.replace('4bf9', '4bf'),
      EXAMPLE.replace('4bf9', '4bg9'),
      EXAMPLE.replaceAll('-', '_'),
      `${EXAMPLE.slice(0, -1)}\n`,
    ]) {
      expect(getTraceparent(header), String(header)).to.equal(null);
    }
  });
});
