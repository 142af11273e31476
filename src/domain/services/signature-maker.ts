import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { signatureEncoding } from '../model/platform-defaults.ts';
import { signatureFailed, signatureFaulty } from '../model/refusal.ts';
import type { SignedResult } from '../model/signed-result.ts';

/** Makes a signature over bytes that are ready to be signed: the one place where a key is opened for a caller. */
export class SignatureMaker {
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #clock: Clock;
  readonly #verifies: boolean;

  /**
   * @param verifies whether each signature is verified with the account's public key before it is given out. A signature that a fault of the
   *   machine spoilt can reveal the key that made it. A spoilt HMAC reveals nothing, and is not made twice.
   */
  constructor(keyStore: KeyStore, signers: SignerTable, clock: Clock, verifies: boolean) {
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#clock = clock;
    this.#verifies = verifies;
  }

  /** The signature, or SIGNATURE_FAILED when the key can't be opened, or the signature can't be made or does not verify. */
  make(platform: Platform, account: Account, payload: Payload): Outcome<SignedResult> {
    const { platformId, accountId, algorithm, publicKey } = account;
    const encoding = signatureEncoding(platform, algorithm);
    try {
      const signer = this.#signers[algorithm];
      const signature = this.#keyStore.use(account.key, (key) => signer.sign(key, payload.bytes, encoding));
      const signedAt = new Date(this.#clock.now()).toISOString();
      if (this.#verifies && signer.kind === 'public-key') {
        const isRight = signer.verify(publicKey, payload.bytes, signature, encoding);
        if (!isRight) return refused(signatureFaulty(platformId, accountId));
      }
      return accepted({ signature, algorithm, encoding, publicKey, signedAt, payload });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}
