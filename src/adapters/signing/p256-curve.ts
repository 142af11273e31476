import { deriveP256Point } from '../vault/p256-key.ts';
import { ECDSA_NUMBER_BYTES, type EcdsaCurve } from './ecdsa.ts';

/** P-256 (SEC 2 §2.4.2), with multiples of the generator by OpenSSL. */
export const P256_CURVE: EcdsaCurve = {
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  memoryLimbs: 0,
  makeMultiplier: () => (target, scalar) => {
    const point = deriveP256Point(scalar);
    if (point === undefined) throw new Error('Not a scalar of P-256.');
    target.set(point.subarray(1, 1 + ECDSA_NUMBER_BYTES));
  },
};
