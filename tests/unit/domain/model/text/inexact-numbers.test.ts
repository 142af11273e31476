import { expect } from 'chai';
import fc from 'fast-check';
import { inexactNumberSteps } from '../../../../../src/domain/model/text/lossless-json.ts';
import { jsonText } from './json-texts.ts';

/** The text with inexact numbers replaced, and the steps taken. */
function marked(text: string): { readonly text: string; readonly steps: number } {
  const steps = inexactNumberSteps(text);
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  return { text: step.value, steps: count };
}

/** Forms that a random number seldom has. */
const HELD = ['-0.000', '0e400', '0E-999999999999', '219.0', '900719925474099100e-2', '5e-324', '1700000000000.000'];

const NOT_HELD = [
  '1e-400',
  '2e-324',
  '1700000000000.00000000001',
  '1e-99999999999999999999999',
  `0.${'0'.repeat(400)}1`,
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
      expect(marked(literal).text).to.equal('1e999');
    });
  }

  for (const literal of ['9007199254740993', '1e400']) {
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
