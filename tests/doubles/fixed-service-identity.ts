import { decodeAccessToken } from '../../src/adapters/auth/messages/access-messages.ts';
import type { AccessToken } from '../../src/domain/model/authentication.ts';
import type { ServiceIdentity } from '../../src/ports/access-authorities.ts';
import type { TestKey } from '../authentication/parties.ts';

/** A constant ServiceIdentity. */
export class FixedServiceIdentity implements ServiceIdentity {
  readonly token: AccessToken;
  readonly #key: TestKey;

  /** @param token bytes of the AccessToken */
  constructor(key: TestKey, token: Uint8Array) {
    const decoded = decodeAccessToken(token);
    if (decoded === null) throw new Error('That is no token.');
    this.token = decoded;
    this.#key = key;
  }

  isOwn(publicKey: Uint8Array): boolean {
    return this.#key.publicKey.equals(publicKey);
  }

  sign(message: Uint8Array): Uint8Array {
    return this.#key.sign(message);
  }
}
