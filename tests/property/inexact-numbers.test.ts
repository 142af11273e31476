import { expect } from 'chai';
import fc from 'fast-check';
import { inexactNumberSteps, runSteps } from '../../src/domain/model/text/lossless-json.ts';

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

const exponent = fc.tuple(
  fc.constantFrom('e', 'E'),
  fc.constantFrom('', '+', '-'),
  fc.oneof(fc.nat(30), fc.integer({ min: 290, max: 420 })),
  fc.constantFrom('', '0', '00'),
);

/** JSON numbers (RFC 8259 §6) of every form, many at the limits of a double. */
const written = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      digits(0, 20).map((rest) => `7${rest}`),
    ),
    fraction: fc.option(digits(1, 24)),
    power: fc.option(exponent),
  })
  .map(({ sign, whole, fraction, power }) => {
    const end = power === null ? '' : `${power[0]}${power[1]}${power[3]}${power[2]}`;
    return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${end}`;
  });

/** Texts of doubles, and neighbours that differ in one digit. */
const nearDouble = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom('', '0', '1', '5', '00', '01'))
  .map(([value, more]) => {
    const [mantissa = '', power] = JSON.stringify(value).split('e');
    const longer = mantissa.includes('.') ? `${mantissa}${more}` : `${mantissa}.0${more}`;
    return power === undefined ? longer : `${longer}e${power}`;
  });

/** Numerator and power of ten of a decimal, in integers. */
function exactValue(literal: string): { readonly integer: bigint; readonly power: number } {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const integer = BigInt(whole + fraction);
  return { integer: sign === '-' ? -integer : integer, power: Number(power) - fraction.length };
}

function isSameValue(left: string, right: string): boolean {
  const [a, b] = [exactValue(left), exactValue(right)];
  const least = Math.min(a.power, b.power);
  return a.integer * 10n ** BigInt(a.power - least) === b.integer * 10n ** BigInt(b.power - least);
}

describe('Inexact numbers', () => {
  it('are detected exactly when received and serialised values differ', () => {
    let held = 0;
    let lost = 0;
    fc.assert(
      fc.property(fc.oneof(written, nearDouble), (literal) => {
        const value = Number(literal);
        // The validator refuses these.
        fc.pre(Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)));
        const isHeld = isSameValue(literal, JSON.stringify(value));
        if (isHeld) held += 1;
        else lost += 1;
        const text = `{"n":${literal}}`;
        expect(runSteps(inexactNumberSteps(text)) === text, literal).to.equal(isHeld);
      }),
      { numRuns: 2000 },
    );
    expect(held).to.be.greaterThan(500);
    expect(lost).to.be.greaterThan(500);
  });
});
