import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import type { Response } from 'express';
import { openCall } from '../../../../src/adapters/http/call-context.ts';

function open(address: string | null, headers: IncomingHttpHeaders = {}) {
  return openCall(address, headers, { locals: {} } as Response);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('The context of a call', () => {
  it('uses the X-Request-Id of the caller, or a new id if that is missing, invalid or repeated', () => {
    for (const id of ['a', '0b5e6d1c-1f0a-4c55-8a4e-0c6f5c0f3c11', 'x'.repeat(128), 'gateway:7.1@eu_1+2'])
      expect(open('::1', { 'x-request-id': id }).correlationId).to.equal(id);
    expect(open('::1').correlationId).to.match(UUID);
    for (const id of ['', ' ', 'a b', '-a', 'a\n', 'é', '"', 'a, b', '{}', '../..', 'x'.repeat(129), '\u001b[2J']) {
      expect(open('::1', { 'x-request-id': id }).correlationId, id).to.match(UUID);
    }
    expect(open('::1', { 'x-request-id': ['a', 'b'] }).correlationId).to.match(UUID);
  });
});

/** The example of W3C Trace Context §3.2.2.5. */
const EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const getTraceparent = (traceparent: string | string[] | undefined) => open(null, { traceparent }).traceparent;

describe('The traceparent of a call', () => {
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
