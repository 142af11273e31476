import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/client/canonical-json.ts';
import type { JsonValue } from '../../../src/client/types.ts';
import { canonicalize } from '../../harness/canonicalize.ts';

describe('canonicalJson of the client', () => {
  it('agrees with another implementation of RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(value as JsonValue)).to.equal(canonicalize(value));
      }),
    );
  });

  it('sorts members by UTF-16 code units (RFC 8785 §3.2.3)', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalJson(value)).to.equal('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });
});
