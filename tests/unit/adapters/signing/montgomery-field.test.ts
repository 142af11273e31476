import { expect } from 'chai';
import fc from 'fast-check';
import {
  LIMBS,
  type Limbs,
  MontgomeryField,
  PRODUCT_LIMBS,
} from '../../../../src/adapters/signing/montgomery-field.ts';
import { STARK_ORDER } from '../../../contracts/stark-verification.ts';
import { GROUP_ORDER } from './p256-order.ts';

const PRIMES = {
  'the field prime of the Stark curve': 2n ** 251n + 17n * 2n ** 192n + 1n,
  'the group order of the Stark curve': STARK_ORDER,
  'the group order of P-256': BigInt(`0x${GROUP_ORDER}`),
};

for (const [name, prime] of Object.entries(PRIMES)) {
  describe(`MontgomeryField of ${name}`, () => {
    const field = new MontgomeryField(prime, new Int32Array(PRODUCT_LIMBS));
    const max = 2n ** 256n - 1n;
    const near = (number: bigint) => fc.bigInt({ min: number - 3n, max: number + 3n });
    const number = fc.oneof(
      fc.bigInt({ min: 0n, max }),
      fc.bigInt({ min: 0n, max: 5n }),
      near(prime),
      near(2n * prime <= max - 3n ? 2n * prime : prime),
      fc.constant(max),
    );

    function limbsOf(value: bigint): Limbs {
      const limbs = new Int32Array(LIMBS);
      field.fromBytes(limbs, Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
      return limbs;
    }

    function numberIn(limbs: Limbs): bigint {
      const bytes = Buffer.alloc(32);
      field.toBytes(bytes, Int32Array.from(limbs));
      return BigInt(`0x${bytes.toString('hex')}`);
    }

    const reduced = (value: bigint) => ((value % prime) + prime) % prime;

    it('reduces numbers of 256 bits', () => {
      fc.assert(
        fc.property(number, (value) => {
          expect(numberIn(limbsOf(value))).to.equal(reduced(value));
        }),
      );
    });

    it('adds, subtracts and multiplies, also into its inputs', () => {
      fc.assert(
        fc.property(number, number, (left, right) => {
          const [a, b, c] = [limbsOf(left), limbsOf(right), new Int32Array(LIMBS)];
          field.add(c, a, b);
          expect(numberIn(c)).to.equal(reduced(left + right));
          field.subtract(c, a, b);
          expect(numberIn(c)).to.equal(reduced(left - right));
          field.multiply(c, c, b);
          expect(numberIn(c)).to.equal(reduced((left - right) * right));
          field.multiply(b, b, b);
          expect(numberIn(b)).to.equal(reduced(right * right));
        }),
        { numRuns: 200 },
      );
    });

    it('inverts, and returns 0 for 0', () => {
      fc.assert(
        fc.property(number, (value) => {
          const inverse = new Int32Array(LIMBS);
          field.invert(inverse, limbsOf(value));
          expect(reduced(numberIn(inverse) * value)).to.equal(reduced(value) === 0n ? 0n : 1n);
        }),
        { numRuns: 30 },
      );
    });

    it('has only limbs of 12 bits, so that products of sums stay below 2^31', () => {
      fc.assert(
        fc.property(number, number, (left, right) => {
          const limbs = new Int32Array(LIMBS);
          const rows = [field.add, field.subtract, field.multiply].map((operation) => {
            operation.call(field, limbs, limbsOf(left), limbsOf(right));
            return [...limbs];
          });
          for (const limb of rows.flat()) expect(limb).to.be.within(0, 4095);
        }),
      );
    });
  });
}
