import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Signer, SignerTable } from '../../ports/signer.ts';
import { ALGORITHMS, type Algorithm } from '../model/algorithm.ts';
import type { SecretBytes } from '../model/secret-bytes.ts';
import { type AdmittedKey, admitKey } from './key-admission.ts';
import { isSignatureOf } from './signing-steps.ts';

/** How long a result is good for, milliseconds: however often it is asked for, a test takes its time four times a second at the most. */
const FRESH_MS = 250;

/** Names that no account of a configuration can have. */
const OWNER = { platformId: '(service)', accountId: '(self-test)' };

/** ASCII, and as long as private keys are: 32 bytes. */
const WELL_KNOWN_KEY = 'signing-service/self-test-key/v1';

/**
 * Shows that signatures can be made: for each algorithm, a key that lies in the KeyStore as those of the accounts do signs a message that no platform takes, and the signature is verified. The key is
 * known to everybody, as those of known-answer tests are (ISO/IEC 19790, 7.10): it belongs to nobody, signs nothing else, and needs no source of randomness. No signature leaves this class, nothing is counted and
 * nothing goes on the audit record.
 */
export class SelfTestService {
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #clock: Clock;
  readonly #keys = new Map<Algorithm, AdmittedKey>();
  #result: string | null = null;
  #testedAt = Number.NEGATIVE_INFINITY;

  constructor(keyStore: KeyStore, signers: SignerTable, clock: Clock) {
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#clock = clock;
  }

  /** Null when every algorithm signs; else which ones don't. At most a quarter of a second old. Never throws. */
  run(): string | null {
    const now = this.#clock.monotonic();
    if (now - this.#testedAt < FRESH_MS) return this.#result;
    const failing = ALGORITHMS.filter((algorithm) => !this.#signs(this.#signers[algorithm]));
    this.#result =
      failing.length === 0
        ? null
        : `No right signature can be made with ${failing.join(', ')}. Restart the service; when that does not help, check the machine for faults of memory or processor.`;
    this.#testedAt = now;
    return this.#result;
  }

  #signs(signer: Signer): boolean {
    try {
      const { handle, publicKey } = this.#keyOf(signer);
      const signature = this.#keyStore.use(handle, (key) => signer.sign(key, signer.probe, 'hex'));
      return isSignatureOf(this.#keyStore, signer, { publicKey, key: handle }, signer.probe, signature, 'hex');
    } catch {
      return false;
    }
  }

  /** Made when it is first needed. */
  #keyOf(signer: Signer): AdmittedKey {
    const { algorithm } = signer;
    const known = this.#keys.get(algorithm);
    if (known !== undefined) return known;
    const made = admitKey(this.#keyStore, signer, { ...OWNER, algorithm }, wellKnownKey());
    this.#keys.set(algorithm, made);
    return made;
  }
}

function wellKnownKey(): SecretBytes {
  return Uint8Array.from(WELL_KNOWN_KEY, (character) => character.charCodeAt(0));
}
