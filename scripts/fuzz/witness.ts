import type { SecureContext } from 'node:tls';
import { isEd25519Signature } from '../../tests/contracts/independent-verification.ts';
import { signatureBytes } from '../../tests/contracts/signature-bytes.ts';
import { plainRequest } from './plain-request.ts';

/** Signed for by {@link Witness} alone. */
export const WITNESS_ACCOUNT = { platformId: 'texts', accountId: 'witness' } as const;

/** An ordinary caller, who is to be served as ever whatever others do, and knows how often that was. */
export class Witness {
  readonly #url: string;
  readonly #secureContext: SecureContext | null;
  signatures = 0;

  /** @param secureContext what it shows over HTTPS; null for nothing */
  constructor(url: string, secureContext: SecureContext | null) {
    this.#url = url;
    this.#secureContext = secureContext;
  }

  /** Signs once and verifies it by OpenSSL; null, or what is wrong. */
  async fault(): Promise<string | null> {
    const text = `witness ${this.signatures}`;
    try {
      const { status, body } = await plainRequest(`${this.#url}/api/v1/sign`, this.#secureContext, {
        ...WITNESS_ACCOUNT,
        data: { text },
      });
      if (status !== 200) return `a valid request was answered with ${JSON.stringify(body)}`;
      this.signatures += 1;
      const { signature, publicKey } = body.data;
      const isRight = isEd25519Signature(publicKey, Buffer.from(text), signatureBytes(signature, 'base58'));
      return isRight ? null : 'a signature is not right';
    } catch (error) {
      return `a valid request was not answered: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
