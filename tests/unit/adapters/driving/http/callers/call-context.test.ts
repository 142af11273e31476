import { expect } from 'chai';
import type { Response } from 'express';
import {
  callContextOf,
  identifyCaller,
  openCall,
} from '../../../../../../src/adapters/driving/http/callers/call-context.ts';

function open(address: string | null) {
  const response = { locals: {} } as Response;
  return { context: openCall(address, response), response };
}

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
    expect(first.correlationId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first.correlationId).not.to.equal(second.correlationId);
    expect(first.principal).to.equal(null);
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
