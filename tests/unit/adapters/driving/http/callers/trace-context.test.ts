import { expect } from 'chai';
import { traceparentOf } from '../../../../../../src/adapters/driving/http/callers/trace-context.ts';

/** The example of W3C Trace Context §3.2.2.5. */
const EXAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('traceparentOf', () => {
  it('takes what the standard shows, sampled or not', () => {
    expect(traceparentOf(EXAMPLE)).to.equal(EXAMPLE);
    expect(traceparentOf(EXAMPLE.replace(/01$/, '00'))).to.equal(EXAMPLE.replace(/01$/, '00'));
  });

  it('takes the fields that it knows of a later version, and leaves what stands behind them', () => {
    const later = `cc${EXAMPLE.slice(2)}`;
    expect(traceparentOf(later)).to.equal(later);
    expect(traceparentOf(`${later}-what-the-future-will-be-like`)).to.equal(later);
    expect(traceparentOf(`${later}.what-the-future-will-not-be-like`)).to.equal(null);
  });

  const malformed: readonly (readonly [what: string, header: string | readonly string[] | undefined])[] = [
    ['no header', undefined],
    ['an empty one', ''],
    ['two in an array', [EXAMPLE, EXAMPLE]],
    ['two, as Node joins them', `${EXAMPLE}, ${EXAMPLE}`],
    ['version ff', `ff${EXAMPLE.slice(2)}`],
    ['something behind version 00', `${EXAMPLE}-00`],
    ['a blank behind it', `${EXAMPLE} `],
    ['upper-case digits', EXAMPLE.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['a parent id of zeros', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
    ['a digit too few', EXAMPLE.slice(1)],
    ['a digit too few in the trace id', EXAMPLE.replace('4bf9', '4bf')],
    ['what is no digit', EXAMPLE.replace('4bf9', '4bg9')],
    ['other separators', EXAMPLE.replaceAll('-', '_')],
    ['a newline at its end', `${EXAMPLE.slice(0, -1)}\n`],
  ];
  for (const [what, header] of malformed) {
    it(`has nothing for ${what}`, () => {
      expect(traceparentOf(header)).to.equal(null);
    });
  }
});
