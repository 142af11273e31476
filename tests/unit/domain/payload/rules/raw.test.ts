import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { rawPayload } from '../../../../../src/domain/payload/rules/raw.ts';
import { expectBytes, expectIssue } from '../payload-expectations.ts';

describe('payload rule raw', () => {
  it('signs hexadecimal bytes and keeps their digits as given', () => {
    expectBytes(rawPayload({ hex: '0xC3a9' }), 'C3a9', 'c3a9');
    expectBytes(rawPayload({ hex: 'c3a9' }), 'c3a9', 'c3a9');
  });

  it('signs no bytes when none are given', () => {
    expectBytes(rawPayload({ text: '' }), '', '');
    expectBytes(rawPayload({ hex: '' }), '', '');
    expectBytes(rawPayload({ base64: '' }), '', '');
  });

  const wrong: readonly JsonObject[] = [{}, { text: 'a', hex: '00' }, { text: 'a', note: 'b' }, { toString: 'a' }];
  for (const data of wrong) {
    it(`rejects ${JSON.stringify(data)}: not exactly one of the three`, () => {
      expectIssue(rawPayload(data), 'data', /exactly one field: text, hex or base64/);
    });
  }

  it('rejects other types of values', () => {
    for (const name of ['text', 'hex', 'base64']) {
      for (const value of [null, ['00']]) {
        expectIssue(rawPayload({ [name]: value }), `data.${name}`, /^must be a string$/);
      }
    }
  });

  it('reports how hex and base64 must be written', () => {
    expectIssue(rawPayload({ hex: 'abc' }), 'data.hex', /even number of hex digits/);
    expectIssue(rawPayload({ base64: 'Zh==' }), 'data.base64', /canonical base64.*padded/);
    expectIssue(rawPayload({ base64: '-_-_' }), 'data.base64', /standard alphabet/);
  });
});
