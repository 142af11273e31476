import { expect } from 'chai';
import fc from 'fast-check';
import { ZodDataFormatValidator } from '../../src/adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { DATA_FORMATS } from '../../src/domain/model/data-format.ts';
import { HOSTILE, jsonObject, jsonValue } from './json-arbitraries.ts';

const validator = new ZodDataFormatValidator();

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

describe('DataFormatValidator properties', () => {
  for (const format of DATA_FORMATS) {
    it(`format ${format}: answers with few plain issues, one a path, whatever the data`, () => {
      fc.assert(
        fc.property(fc.oneof(shaped, jsonObject(HOSTILE)), (data) => {
          const issues = validator.findIssues(format, data);
          for (const { path, message } of issues) {
            expect(path).to.match(/^data(\.[A-Za-z]+){1,2}$/);
            expect(message).to.match(/^(is missing; it )?must be /);
          }
          expect(new Set(issues.map(({ path }) => path)).size).to.equal(issues.length);
          expect(issues).to.have.lengthOf.below(10);
        }),
        { numRuns: 500 },
      );
    });
  }
});
