import { expect } from 'chai';
import { z } from 'zod';
import {
  formatA,
  formatAny,
  formatB,
  formatC,
  formatD,
} from '../../../../../src/adapters/driven/data-format-validator/data-formats.ts';

describe('data format schemas', () => {
  for (const [name, schema] of Object.entries({ formatA, formatAny, formatB, formatC, formatD })) {
    it(`${name} can be written as JSON Schema that lets more fields through`, () => {
      const text = JSON.stringify(z.toJSONSchema(schema));
      expect(text).to.include('"type":"object"');
      expect(text).not.to.include('"additionalProperties":false');
    });
  }

  it('formatA is either of its two shapes', () => {
    const order = { type: 't', market: 'm', side: 's', amount: '1', price: '2' };
    expect(formatA.safeParse(order).success).to.equal(true);
    expect(formatA.safeParse({ instruction: order, nonce: 1 }).success).to.equal(true);
    expect(formatA.safeParse({ nonce: 1 }).success).to.equal(false);
  });
});
