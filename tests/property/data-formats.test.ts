import { expect } from 'chai';
import fc from 'fast-check';
import { DATA_FORMATS } from '../../src/domain/model/platform.ts';
import { findFormatIssues } from '../../src/domain/payload/data-formats.ts';
import { anyText } from './any-text.ts';
import { HOSTILE, jsonObject, jsonValue } from './json-arbitraries.ts';

const shaped = fc.record(
  {
    instruction: jsonValue(HOSTILE),
    nonce: jsonValue(HOSTILE),
    message: jsonValue(HOSTILE),
    method: jsonValue(HOSTILE),
    params: jsonValue(HOSTILE),
    body: jsonValue(HOSTILE),
    timestamp: jsonValue(HOSTILE),
  },
  { requiredKeys: [] },
);

const text = anyText();
const moment = fc.maxSafeNat();

/** Data of the specification's shapes with arbitrary strings. */
const SHOWN = {
  A: fc.oneof(
    fc.record({ type: text, market: text, side: text, amount: text, price: text }),
    fc.record({
      instruction: fc.record({ type: text, market: text, side: text, amount: text, price: text }),
      nonce: moment,
    }),
  ),
  B: fc.record({
    message: fc.record({ action: text, symbol: text, price: text, quantity: text, timestamp: moment }),
  }),
  C: fc.record({
    method: fc.constantFrom('GET', 'POST'),
    endpoint: text.map((rest) => `/${rest}`),
    params: fc.record({ symbol: text, side: text, type: text, quantity: text, price: text, timestamp: moment }),
  }),
  D: fc.record({
    method: fc.constantFrom('GET', 'POST'),
    path: text.map((rest) => `/${rest}`),
    body: fc.record({ instId: text, side: text, ordType: text, sz: text, px: text }),
    timestamp: fc
      .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  }),
};

describe('Data formats', () => {
  for (const format of ['A', 'B', 'C', 'D'] as const) {
    it(`format ${format}: accepts any string in each string field`, () => {
      fc.assert(
        fc.property(SHOWN[format], (data) => {
          expect(findFormatIssues(format, data)).to.deep.equal([]);
        }),
        { numRuns: 100 },
      );
    });
  }

  for (const format of DATA_FORMATS) {
    it(`format ${format}: reports few printable issues, one per path, for any data`, () => {
      fc.assert(
        fc.property(fc.oneof(shaped, jsonObject(HOSTILE)), (data) => {
          const issues = findFormatIssues(format, data);
          for (const { path, message } of issues) {
            expect(path).to.match(/^data(\.[A-Za-z]+){1,2}$/);
            expect(message).to.match(/^(is missing; it )?must be /);
          }
          expect(new Set(issues.map(({ path }) => path)).size).to.equal(issues.length);
          expect(issues).to.have.lengthOf.below(10);
        }),
        { numRuns: 100 },
      );
    });
  }
});
