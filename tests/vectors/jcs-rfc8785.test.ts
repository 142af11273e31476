import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { canonicalJson } from '../../src/domain/model/text/jcs.ts';
import vectors from './jcs-rfc8785.json' with { type: 'json' };

describe('RFC 8785 vectors', () => {
  for (const { id, input, outputHex } of vectors.documents.vectors) {
    it(`canonicalises the document ${id} to the published bytes`, () => {
      const text = canonicalJson(JSON.parse(input));
      expect(Buffer.from(text, 'utf8').toString('hex')).to.equal(outputHex);
    });
  }

  for (const { ieee754, output } of vectors.numbers.vectors) {
    it(`writes the number ${ieee754} as ${output}`, () => {
      const value = Buffer.from(ieee754, 'hex').readDoubleBE();
      expect(canonicalJson(value)).to.equal(output);
    });
  }
});
