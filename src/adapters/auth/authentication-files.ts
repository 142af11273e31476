import sodium from 'sodium-native';
import { Reloadable, type ReloadTarget } from '../../domain/flow/reloadable.ts';
import type { AccessToken } from '../../domain/model/authentication.ts';
import type { ReloadTrigger } from '../../domain/model/service-state.ts';
import { encodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import { parseIsoTime } from '../../domain/model/text/iso-time.ts';
import type { AccessAuthorities, ServiceIdentity, SignatureVerifier } from '../../ports/authentication.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Ed25519Key } from '../vault/ed25519-key.ts';
import { readAuthorities } from './authorities-file.ts';
import { findIssuer, readServiceToken } from './token-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What {@link AuthenticationFiles} works with. */
export interface AuthenticationFilesParts {
  readonly authoritiesFile: string;
  readonly tokenFile: string;
  /** The caller destroys it. */
  readonly key: Pick<Ed25519Key, 'publicKey' | 'sign'>;
  readonly verifier: SignatureVerifier;
  readonly clock: WallClock;
  readonly log: ServiceLog;
  /** Whether to reject a list that other users can change. */
  readonly production: boolean;
  /** The log warns if the service's token has fewer days left. */
  readonly expiryWarningDays: number;
}

/** The service's identity, for operators. */
interface IdentityReport {
  /** Base58; clients need it. */
  readonly publicKey: string;
  /** Expiry of the service's token. */
  readonly expirationTime: string;
  readonly daysLeft: number;
  /** Number of trusted authorities. */
  readonly authorities: number;
}

/** Trusted authorities and the service's token, from their files. */
export class AuthenticationFiles implements AccessAuthorities, ServiceIdentity, ReloadTarget {
  readonly #parts: AuthenticationFilesParts;
  readonly #authorities: Reloadable<readonly Buffer[]>;
  readonly #token: Reloadable<AccessToken>;

  /** @throws OperatorError that names file, setting and remedy */
  constructor(parts: AuthenticationFilesParts) {
    const { authoritiesFile, tokenFile, key, verifier, clock, log, production } = parts;
    this.#parts = parts;
    this.#authorities = new Reloadable({
      unchanged: 'Failed to reload the list of authorities; the previous one stays active.',
      ...{ clock, log },
      load: () => readAuthorities(authoritiesFile, production),
      reloaded: ({ length }) => log.info('List of authorities loaded.', { authorities: length }),
    });
    this.#token = new Reloadable({
      unchanged: "Failed to reload the service's access token; the previous one stays active.",
      ...{ clock, log },
      load: (now) =>
        readServiceToken(tokenFile, { publicKey: key.publicKey, authorities: this.current, verifier, now }),
      reloaded: ({ username, expirationTime }) =>
        log.info('Service access token loaded.', { username, expirationTime }),
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

  get mayRetry(): boolean {
    return this.#authorities.mayRetry || this.#token.mayRetry;
  }

  /** An invalid file keeps its previous content. A removed authority loses trust at once. */
  reload(trigger: ReloadTrigger | 'retry'): void {
    const isReloaded = [this.#authorities.reload(trigger), this.#token.reload(trigger)];
    if (isReloaded.includes(true)) this.check();
  }

  /** Logs what makes clients reject the service, now or soon. */
  check(): void {
    const { verifier, log, expiryWarningDays } = this.#parts;
    const report = this.report();
    if (findIssuer(this.token, this.current, verifier) === undefined) {
      log.error("The service's access token is not signed by a trusted authority: issue another.", { ...report });
    }
    if (report.daysLeft < 0)
      log.error("The service's access token has expired: clients reject its responses. Issue another.", { ...report });
    else if (report.daysLeft < expiryWarningDays)
      log.warn("The service's access token expires soon: issue another.", { ...report });
  }

  report(): IdentityReport {
    const { key, clock } = this.#parts;
    const { expirationTime } = this.token;
    return {
      publicKey: encodeBase58(key.publicKey),
      expirationTime,
      daysLeft: Math.floor(((parseIsoTime(expirationTime) ?? 0) - clock.now()) / DAY_MS),
      authorities: this.current.length,
    };
  }
}
