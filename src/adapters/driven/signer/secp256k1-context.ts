import { randomFillSync } from 'node:crypto';
import secp256k1 from 'secp256k1-native';

/** How many signatures one blinding of the context serves. */
const SIGNATURES_PER_BLINDING = 1000;

/** A libsecp256k1 signing context, blinded against side channels when it is made and again every 1000 signatures. */
export class Secp256k1Context {
  readonly #context = secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  readonly #seed = Buffer.alloc(32);
  #signaturesLeft = 0;

  /** The context, for anything that does not sign. */
  get native(): Buffer {
    return this.#context;
  }

  /** The context, freshly blinded when it is due. */
  forSigning(): Buffer {
    if (this.#signaturesLeft === 0) this.#blind();
    this.#signaturesLeft -= 1;
    return this.#context;
  }

  #blind(): void {
    randomFillSync(this.#seed);
    secp256k1.secp256k1_context_randomize(this.#context, this.#seed);
    this.#seed.fill(0);
    this.#signaturesLeft = SIGNATURES_PER_BLINDING;
  }
}
