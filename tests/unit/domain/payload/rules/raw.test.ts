import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue } from '../payload-expectations.ts';

describe('payload rule raw', () => {
  it('signs hexadecimal bytes and keeps their digits as given', () => {
    expectBytes(buildPayload({ hex: '0xC3a9' }, { rule: 'raw' }, payloadContext()), 'C3a9', 'c3a9');
    expectBytes(buildPayload({ hex: 'c3a9' }, { rule: 'raw' }, payloadContext()), 'c3a9', 'c3a9');
  });

  it('signs no bytes when none are given', () => {
    expectBytes(buildPayload({ text: '' }, { rule: 'raw' }, payloadContext()), '', '');
    expectBytes(buildPayload({ hex: '' }, { rule: 'raw' }, payloadContext()), '', '');
    expectBytes(buildPayload({ base64: '' }, { rule: 'raw' }, payloadContext()), '', '');
  });

  const wrong: readonly JsonObject[] = [{}, { text: 'a', hex: '00' }, { text: 'a', note: 'b' }, { toString: 'a' }];
  for (const data of wrong) {
    it(`rejects ${JSON.stringify(data)}: not exactly one of the three`, () => {
      expectIssue(
        buildPayload(data, { rule: 'raw' }, payloadContext()),
        'data',
        /exactly one field: text, hex or base64/,
      );
    });
  }

  it('rejects other types of values', () => {
    for (const name of ['text', 'hex', 'base64']) {
      for (const value of [null, ['00']]) {
        expectIssue(
          buildPayload({ [name]: value }, { rule: 'raw' }, payloadContext()),
          `data.${name}`,
          /^must be a string$/,
        );
      }
    }
  });

  it('reports how hex and base64 must be written', () => {
    expectIssue(
      buildPayload({ hex: 'abc' }, { rule: 'raw' }, payloadContext()),
      'data.hex',
      /even number of hex digits/,
    );
    expectIssue(
      buildPayload({ base64: 'Zh==' }, { rule: 'raw' }, payloadContext()),
      'data.base64',
      /canonical base64.*padded/,
    );
    expectIssue(
      buildPayload({ base64: '-_-_' }, { rule: 'raw' }, payloadContext()),
      'data.base64',
      /standard alphabet/,
    );
  });
});
