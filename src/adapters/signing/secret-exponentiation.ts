import { createDiffieHellman, type DiffieHellman } from 'node:crypto';

/** Not used: only secrets of a received base are computed. */
const GENERATOR = 2;
/** Moduli whose precomputation, about a signature's time and 2 KiB, is kept. */
const KEPT_MODULI = 256;
const NO_EXPONENT = Buffer.alloc(1);

/**
 * Modular exponentiation with a secret exponent: a Diffie-Hellman secret (NIST SP 800-56A Rev. 3
 * §5.7.1.1) of OpenSSL, which is the same power modulo any odd number. Constant time in the
 * exponent. Unlike OpenSSL's RSA keys it leaves no trace (docs/decisions/0019-rsa-signer.md): the
 * exponent is OpenSSL's only copy of a secret, is wiped when the next one replaces it, and needs no
 * DER, whose copies OpenSSL before 3.5 frees without wiping.
 */
export class SecretExponentiation {
  /** By modulus; least recently used first. */
  readonly #groups = new Map<string, DiffieHellman>();

  /**
   * `base` to the power of `exponent`, as many bytes as `modulus`. All big-endian.
   * @param base public, 2 to modulus - 2
   * @param modulus public, odd, 64 to 1250 bytes without leading zeros
   * @throws Error if the power is 0, 1 or modulus - 1
   */
  compute(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Buffer {
    const group = this.#groupOf(modulus);
    try {
      group.setPrivateKey(exponent);
      return group.computeSecret(base);
    } finally {
      group.setPrivateKey(NO_EXPONENT);
    }
  }

  #groupOf(modulus: Uint8Array): DiffieHellman {
    const name = Buffer.from(modulus).toString('latin1');
    const group = this.#groups.get(name) ?? createDiffieHellman(Buffer.from(modulus), GENERATOR);
    this.#groups.delete(name);
    this.#groups.set(name, group);
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > KEPT_MODULI && oldest !== undefined) this.#groups.delete(oldest);
    return group;
  }
}
