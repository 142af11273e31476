import { expect } from 'chai';
import { z } from 'zod';
import { readCall } from '../../../../src/adapters/http/read-call.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

describe('readCall', () => {
  it('names each path of a body once, with its first issue', async () => {
    const schema = z.strictObject({ data: z.string().min(2, 'first').regex(/x/, 'second') });
    const endpoint = { signing: { work: 'single', schema }, handle: () => undefined };
    const read = await readCall(
      endpoint as never,
      { query: {} } as never,
      Buffer.from('{"data":"a"}'),
      new FixedClock(),
    );
    expect(read)
      .to.have.nested.property('refusal.details')
      .that.deep.equals({ issues: [{ path: 'data', message: 'first' }] });
  });
});
