import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { isPlainCanonicalObject } from '../../../src/audit-trail/plain-json.ts';

const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
const name = fc.stringMatching(/^[ !#-[\]-~]{0,6}$/);
const plainObject = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    name,
    fc.integer(),
    fc.constantFrom(null, true, false, 0, -1, 999_999_999_999_999),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
})).object;

describe('isPlainCanonicalObject', () => {
  it('is sure of objects of texts, integers, words, lists and objects in canonical form', () => {
    fc.assert(
      fc.property(plainObject, (value) => {
        expect(isPlainCanonicalObject(canonicalize(value) ?? '')).to.equal(true);
      }),
    );
  });

  it('is sure of nothing that is not the canonical form of what it says', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b"',
        '""',
        '0',
        '-',
        '1',
        '00',
        '1.5',
        '1e3',
        'null',
        'true',
        'nul',
        ' ',
      ),
      { maxLength: 12 },
    );
    const edited = fc.tuple(plainObject, fc.nat(), fc.nat(2), pieces).map(([value, at, taken, given]) => {
      const text = canonicalize(value) ?? '';
      const from = at % (text.length + 1);
      return text.slice(0, from) + given.join('') + text.slice(from + taken);
    });
    fc.assert(
      fc.property(
        fc.oneof(
          edited,
          pieces.map((all) => all.join('')),
        ),
        (text) => {
          fc.pre(PLAIN.test(text) && isPlainCanonicalObject(text));
          expect(canonicalize(JSON.parse(text))).to.equal(text);
        },
      ),
      { numRuns: 2000, maxSkipsPerRun: 10_000 },
    );
  });

  it('is not sure of anything else', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '"a"',
      '{',
      '{}}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{"a":1 }',
      '{"b":1,"a":1}',
      '{"a":1,"a":1}',
      '{"a":01}',
      '{"a":-0}',
      '{"a":-}',
      '{"a":1.0}',
      '{"a":1e3}',
      '{"a":1234567890123456}',
      '{"a":[1,]}',
      '{"a":[1',
      '{"a":"b',
      '{"a":nulL}',
      `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
    ]) {
      expect(isPlainCanonicalObject(text), text).to.equal(false);
    }
  });
});
