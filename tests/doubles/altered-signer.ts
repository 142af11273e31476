import type { SecretBytes } from '../../src/domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../../src/domain/model/signature-encoding.ts';
import type { Signer } from '../../src/ports/signer.ts';

/** Does what another Signer does, but signs as a test says: wrongly, or by throwing. */
export class AlteredSigner implements Signer {
  readonly sign: Signer['sign'];
  readonly #signer: Signer;

  constructor(signer: Signer, sign: Signer['sign']) {
    this.#signer = signer;
    this.sign = sign;
  }

  get algorithm() {
    return this.#signer.algorithm;
  }

  get privateKeyLength(): number {
    return this.#signer.privateKeyLength;
  }

  get signingKeyLength(): number {
    return this.#signer.signingKeyLength;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    this.#signer.expand(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    return this.#signer.publicKey(signingKey);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    return this.#signer.verify(publicKey, message, signature, encoding);
  }
}
