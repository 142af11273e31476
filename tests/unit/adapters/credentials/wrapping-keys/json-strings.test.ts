import { expect } from 'chai';
import fc from 'fast-check';
import { findJsonString, JsonStringError } from '../../../../../src/adapters/credentials/wrapping-keys/json-strings.ts';

const find = (json: string, ...path: string[]) => findJsonString(Buffer.from(json), ...path).toString();

describe('findJsonString', () => {
  it('finds what JSON.parse finds, whatever is around it', () => {
    const ascii = fc
      .string({ unit: 'binary-ascii' })
      .filter((text) => [...text].every((character) => character >= ' '));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        ascii,
        fc.constantFrom(0, 2),
        (others, secret, indent) => {
          const document = { ...others, data: { ...others, plaintext: secret, z: others } };
          expect(find(JSON.stringify(document, null, indent), 'data', 'plaintext')).to.equal(secret);
        },
      ),
    );
  });

  it('replaces escapes of ASCII characters', () => {
    expect(find(String.raw`{"a":"A\/B\u003d\u003D\"\\"}`, 'a')).to.equal('A/B=="\\');
  });

  it('rejects a missing member, another type and malformed JSON, without quoting it', () => {
    for (const json of [
      ...['', '[]', '{}', '{"b":"secret"}', '{"a":7}', '{"a":null}', '{"a":["secret"]}', '{"b":{"a":"secret"}}'],
      ...['{"a":"secret', '{"a" "secret"}', '{"b":["secret', String.raw`{"a":"secret\u20ac"}`, String.raw`{"a":"\n"}`],
    ]) {
      expect(() => find(json, 'a'), json)
        .to.throw(JsonStringError)
        .with.property('message')
        .not.includes('secret');
    }
  });
});
