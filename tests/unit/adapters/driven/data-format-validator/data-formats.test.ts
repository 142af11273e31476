import { expect } from 'chai';
import { z } from 'zod';
import {
  formatAFlat,
  formatAInstruction,
  formatAny,
  formatB,
  formatC,
  formatD,
} from '../../../../../src/adapters/driven/data-format-validator/data-formats.ts';

describe('data format schemas', () => {
  for (const [name, schema] of Object.entries({
    formatAFlat,
    formatAInstruction,
    formatAny,
    formatB,
    formatC,
    formatD,
  })) {
    it(`${name} can be written as JSON Schema that lets more fields through`, () => {
      const text = JSON.stringify(z.toJSONSchema(schema));
      expect(text).to.include('"type":"object"');
      expect(text).not.to.include('"additionalProperties":false');
    });
  }
});
