import type { Ports } from '../../ports/ports.ts';
import type { Signer } from '../../ports/signer.ts';
import type { SecretBytes } from '../model/account.ts';
import { ALGORITHMS, type Algorithm } from '../model/algorithm.ts';
import { type AdmittedKey, admitKey } from './key-admission.ts';
import { isSignatureOf } from './signing-steps.ts';

/** Validity of a result, milliseconds: limits tests to four a second. */
const VALID_MS = 250;

/** IDs that no account can have. */
const OWNER = { platformId: '(service)', accountId: '(self-test)' };

/** ASCII, 32 bytes as private keys. */
const WELL_KNOWN_KEY = 'signing-service/self-test-key/v1';

type Tools = Pick<Ports, 'keyStore' | 'signers' | 'clock'>;

/**
 * Tests signing: for each algorithm, a key in the KeyStore signs a message that no platform
 * accepts, and the signature is verified. The key is public, as in known-answer tests (ISO/IEC
 * 19790, 7.10): it belongs to nobody and needs no randomness. Nothing is released, counted or
 * recorded.
 */
export class SelfTestService {
  readonly #ports: Tools;
  readonly #keys = new Map<Algorithm, AdmittedKey>();
  #result: string | null = null;
  #testedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: Tools) {
    this.#ports = ports;
  }

  /** Null when every algorithm signs, else which don't; at most 250 ms old. Never throws. */
  run(): string | null {
    const now = this.#ports.clock.monotonic();
    if (now - this.#testedAt < VALID_MS) return this.#result;
    const failing = ALGORITHMS.filter((algorithm) => !this.#signs(this.#ports.signers[algorithm]));
    this.#result =
      failing.length === 0
        ? null
        : `The signing self-test fails for ${failing.join(', ')}. Restart the service; if that does not help, check the memory and processor of the machine for faults.`;
    this.#testedAt = now;
    return this.#result;
  }

  #signs(signer: Signer): boolean {
    try {
      const { handle, publicKey } = this.#getKey(signer);
      const signature = this.#ports.keyStore.use(handle, (key) => signer.sign(key, signer.probe, 'hex'));
      return isSignatureOf(this.#ports.keyStore, signer, { publicKey, key: handle }, signer.probe, signature, 'hex');
    } catch {
      return false;
    }
  }

  /** Created on demand. */
  #getKey(signer: Signer): AdmittedKey {
    const { algorithm } = signer;
    const known = this.#keys.get(algorithm);
    if (known !== undefined) return known;
    const made = admitKey(this.#ports.keyStore, signer, { ...OWNER, algorithm }, signer.selfTestKey ?? wellKnownKey());
    this.#keys.set(algorithm, made);
    return made;
  }
}

/** The first byte is 1: the number is then below the group order of every curve. */
function wellKnownKey(): SecretBytes {
  return Uint8Array.from(WELL_KNOWN_KEY, (character) => character.charCodeAt(0)).fill(1, 0, 1);
}
