import sodium from 'sodium-native';
import { type AccessToken, parseExpirationTime } from '../../../domain/model/access-token.ts';
import type { AccessAuthorities } from '../../../ports/access-authorities.ts';
import type { WallClock } from '../../../ports/clock.ts';
import type { ServiceIdentity } from '../../../ports/service-identity.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { SignatureVerifier } from '../../../ports/signature-verifier.ts';
import type { Ed25519Key } from '../../../secure-memory/ed25519-key.ts';
import { readAuthorities } from './authorities-file.ts';
import { KeptValue } from './kept-value.ts';
import { publicKeyText } from './public-key-text.ts';
import { issuerOf, readServiceToken } from './token-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** With fewer days than this left, the service log warns. */
const WARNING_DAYS = 14;

/** What the files are read with. */
export interface AuthenticationFilesParts {
  readonly authoritiesFile: string;
  readonly tokenFile: string;
  /** Whoever opened it destroys it. */
  readonly key: Pick<Ed25519Key, 'publicKey' | 'sign'>;
  readonly verifier: SignatureVerifier;
  readonly clock: WallClock;
  readonly log: ServiceLog;
  /** Whether a list of authorities that other users can change is refused. */
  readonly production: boolean;
}

/** What operators want to know of the service's identity. */
export interface IdentityReport {
  /** Base58: what clients have to know of the service. */
  readonly publicKey: string;
  /** Of the service's token. */
  readonly expirationTime: string;
  readonly daysLeft: number;
  /** How many authorities are believed. */
  readonly authorities: number;
}

/** The list of authorities and the service's own token, as their files say. */
export class AuthenticationFiles implements AccessAuthorities, ServiceIdentity {
  readonly #parts: AuthenticationFilesParts;
  readonly #authorities: KeptValue<readonly Buffer[]>;
  readonly #token: KeptValue<AccessToken>;

  /** @throws OperatorError that names the file, the setting and what to do */
  constructor(parts: AuthenticationFilesParts) {
    const { authoritiesFile, tokenFile, key, verifier, clock, log, production } = parts;
    this.#parts = parts;
    this.#authorities = new KeptValue({
      what: 'The list of authorities',
      read: () => readAuthorities(authoritiesFile, production),
      facts: ({ length }) => ({ authorities: length }),
      log,
    });
    const readToken = () => {
      const surroundings = { publicKey: key.publicKey, authorities: this.current, verifier, now: clock.now() };
      return readServiceToken(tokenFile, surroundings);
    };
    this.#token = new KeptValue({
      what: "The service's access token",
      read: readToken,
      facts: ({ username, expirationTime }) => ({ username, expirationTime }),
      log,
    });
  }

  get current(): readonly Buffer[] {
    return this.#authorities.current;
  }

  get token(): AccessToken {
    return this.#token.current;
  }

  isOwn(publicKey: Uint8Array): boolean {
    const own = this.#parts.key.publicKey;
    return publicKey.length === own.length && sodium.sodium_memcmp(own, publicKey);
  }

  sign(message: Uint8Array): Uint8Array {
    return this.#parts.key.sign(message);
  }

  /** Reads both files anew: each is taken where it is right, and stays as it was otherwise. An authority that was taken out is believed no more, also where the service's own token is one of its. */
  reload(): void {
    this.#authorities.reload();
    this.#token.reload();
    this.tellState();
  }

  /** Says in the service log what keeps clients from believing the service, now or soon. */
  tellState(): void {
    const { verifier, log } = this.#parts;
    const report = this.report();
    if (issuerOf(this.token, this.current, verifier) === undefined) {
      log.error("The service's access token is signed by no authority that is believed: issue another.", { ...report });
    }
    if (report.daysLeft < 0)
      log.error("The service's access token has expired: clients refuse its answers. Issue another.", { ...report });
    else if (report.daysLeft < WARNING_DAYS)
      log.warn("The service's access token expires soon: issue another.", { ...report });
  }

  report(): IdentityReport {
    const { key, clock } = this.#parts;
    const { expirationTime } = this.token;
    return {
      publicKey: publicKeyText(key.publicKey),
      expirationTime,
      daysLeft: Math.floor(((parseExpirationTime(expirationTime) ?? 0) - clock.now()) / DAY_MS),
      authorities: this.current.length,
    };
  }
}
