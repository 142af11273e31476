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
import { timeText } from '../model/time-text.ts';

/** What is to be signed, and for which account. */
export interface Signable {
  readonly platform: Platform;
  readonly account: Account;
  readonly payload: Payload;
}

/** Makes signatures over bytes that are ready to be signed: the one place where keys are opened for callers. */
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

  /**
   * For each of them the signature, or SIGNATURE_FAILED when the key can't be opened, or the signature can't be made or does not verify. They are made in one go: the store prepares itself once for all of
   * them, and nothing else runs meanwhile.
   */
  makeAll(signables: readonly Signable[]): readonly Outcome<SignedResult>[] {
    if (signables.length === 0) return [];
    try {
      return this.#together(() => signables.map((signable) => this.#make(signable)));
    } catch (error) {
      return signables.map(({ account }) => refused(signatureFailed(account.platformId, account.accountId, error)));
    }
  }

  #together<Result>(work: () => Result): Result {
    return this.#keyStore.together === undefined ? work() : this.#keyStore.together(work);
  }

  #make({ platform, account, payload }: Signable): Outcome<SignedResult> {
    const { platformId, accountId, algorithm, publicKey } = account;
    const encoding = signatureEncoding(platform, algorithm);
    try {
      const signer = this.#signers[algorithm];
      const signature = this.#keyStore.use(account.key, (key) => signer.sign(key, payload.bytes, encoding));
      const signedAt = timeText(this.#clock.now());
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
