import { expect } from 'chai';
import fc from 'fast-check';
import { hasInexactNumber, inexactNumberSteps } from '../../../../src/adapters/json-text/inexact-numbers.ts';
import { jsonText } from './json-texts.ts';

/** The text with inexact numbers replaced, and the steps taken. */
function marked(text: string): { readonly text: string; readonly steps: number } {
  const steps = inexactNumberSteps(text);
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  return { text: step.value, steps: count };
}

const HELD = [
  ...[
    '0',
    '-0',
    '0.0',
    '-0.000',
    '0e5',
    '0e400',
    '0E-999999999999',
    '1',
    '219.0',
    '1.10',
    '0.1',
    '1e-7',
    '1E-7',
    '1.5e+3',
  ],
  ...['0.30000000000000004', '4503599627370495.5', '9007199254740991', '9007199254740991.0', '900719925474099100e-2'],
  ...['5e-324', '2.2250738585072014e-308', '0.1000000000000000000000000000000000', '100e-2'],
  ...['1700000000000.000', '0.00000000000000000000000000000000000000001'],
];

const NOT_HELD = [
  ...['4503599627370496.5', '-4503599627370496.5', '1e-400', '-1e-400', '4.9e-324', '2e-324', '0.10000000000000001'],
  ...['0.1000000000000000055511151231257827', '1700000000000.00000000001', '1.0000000000000001', '9007199254740990.9'],
  ...['2.4703282292062327e-324', '1e-99999999999999999999999', `0.${'0'.repeat(400)}1`, '9007199254740991.1'],
];

describe('inexactNumberSteps', () => {
  for (const literal of HELD) {
    it(`leaves ${literal.slice(0, 50)}`, () => {
      expect(marked(`{"n":[${literal}]}`).text).to.equal(`{"n":[${literal}]}`);
    });
  }

  for (const literal of NOT_HELD) {
    it(`replaces ${literal.slice(0, 50)}, and nothing else`, () => {
      const around = (number: string) => ` {"a":0.5,"n":[1 ,${number}, "${literal}"],"${literal}":-1.25e2}`;
      expect(marked(around(literal)).text).to.equal(around('1e999'));
      expect(hasInexactNumber(around(literal))).to.equal(true);
      expect(marked(literal).text).to.equal('1e999');
    });
  }

  for (const literal of ['9007199254740993', '-123456789012345678901234567890', '1e30', '1e400', '1e300']) {
    it(`leaves ${literal}, which is rejected as an integer or as infinity`, () => {
      expect(marked(`{"n":${literal}}`).text).to.equal(`{"n":${literal}}`);
    });
  }

  it('works in steps, and handles long literals and many literals', () => {
    const many = marked(`[${Array.from({ length: 20_000 }, () => '0.10000000000000001').join(',')}]`);
    expect(many.steps).to.be.greaterThan(10);
    expect(many.text).to.equal(`[${Array.from({ length: 20_000 }, () => '1e999').join(',')}]`);
    expect(marked(`[0.${'10'.repeat(200_000)}]`).text).to.equal('[1e999]');
    expect(marked(`[0.5${'0'.repeat(400_000)}]`).text).to.have.length(400_005);
  });

  it('replaces nothing if doubles represent all numbers exactly, with any strings', () => {
    const string = fc.constantFrom('1e-400', '0.10000000000000001', '\\', '"', '\\"0.10000000000000001');
    fc.assert(
      fc.property(jsonText, fc.array(string), (text, strings) => {
        const whole = `[${text},${JSON.stringify(strings)}]`;
        expect(marked(whole).text).to.equal(whole);
      }),
      { numRuns: 500 },
    );
  });
});
