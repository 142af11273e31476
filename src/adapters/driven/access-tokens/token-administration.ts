import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { encodeAccessToken } from '../../../access-messages/access-token-message.ts';
import { fromBase64, toBase64 } from '../../../access-messages/base64-text.ts';
import { decodeRequestAuthInfo } from '../../../access-messages/request-message.ts';
import { tokenContent } from '../../../access-messages/signed-content.ts';
import { type AccessToken, parseExpirationTime } from '../../../domain/model/access-token.ts';
import { EditRefusedError, OperatorError } from '../../../domain/model/errors.ts';
import { isPrincipal } from '../../../domain/model/principal.ts';
import type { IssuedToken, NewAuthority, TokenInspection, TokenWish } from '../../../domain/model/token-issuance.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import { isSystemError } from '../../../files/system-error-code.ts';
import type { WallClock } from '../../../ports/clock.ts';
import type { SignatureVerifier } from '../../../ports/signature-verifier.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { createPublicFile } from '../../../secure-memory/secret-file.ts';
import { readAuthorities, readListSoFar, textBeforeAnother } from './authorities-file.ts';
import { withAuthorityKey, withHolder, withNewKey } from './holder-keys.ts';
import { publicKeyText } from './public-key-text.ts';
import { replacePublicFile } from './replace-public-file.ts';
import { issuerOf, parseTokenText } from './token-file.ts';

const FOLDER_MODE = 0o700;

/** What a {@link TokenAdministration} is made of. */
export interface TokenAdministrationParts {
  readonly authoritiesFile: string;
  /** Of the service. */
  readonly keyFile: string;
  /** Of the service. */
  readonly tokenFile: string;
  readonly verifier: SignatureVerifier;
  readonly clock: WallClock;
}

/**
 * Makes and inspects access tokens. Keys are made and used in locked memory, and written where only
 * their owner can read them, never over another file. Public keys under which anyone can sign are
 * refused. It never leaves the service a list of authorities or a token with which it would not
 * start where it would have started before. What a method that throws had made is removed.
 */
export class TokenAdministration {
  readonly #parts: TokenAdministrationParts;

  constructor(parts: TokenAdministrationParts) {
    this.#parts = parts;
  }

  /**
   * @param believe whether the service is to trust it: adds its public key to the list of
   * authorities
   * @throws EditRefusedError whose message says why and what to do
   */
  createAuthority(keyFile: string, believe: boolean): NewAuthority {
    return orRefuse(() => {
      const { authoritiesFile } = this.#parts;
      // Before anything is made: a list that is wrong, or full, is not added to.
      const before = believe ? textBeforeAnother(authoritiesFile) : null;
      return withNewKey(keyFile, (key) => {
        const publicKey = publicKeyText(key);
        if (before === null) return { publicKey, keyFile, authoritiesFile: null };
        makeFolders(dirname(authoritiesFile), FOLDER_MODE);
        replacePublicFile(authoritiesFile, `${before}${publicKey}\n`);
        return { publicKey, keyFile, authoritiesFile };
      });
    });
  }

  /** @throws EditRefusedError whose message says why and what to do */
  issue(wish: TokenWish): IssuedToken {
    return orRefuse(() => {
      const { username, authorityKeyFile, subject, outFile } = wish;
      if (!isPrincipal(username)) {
        throw new EditRefusedError(
          'A username has 1 to 256 letters, digits, spaces and . _ : @ / = + , - with a letter or digit first, and is not "anonymous".',
        );
      }
      const expirationTime = this.#expirationTime(wish.validity);
      if (outFile !== null && existsSync(outFile)) {
        throw new EditRefusedError(`${outFile} exists already and was left as it is; name another file.`);
      }
      return withAuthorityKey(authorityKeyFile, (authority) => {
        if (subject.kind === 'service') this.#expectListed(authority.publicKey);
        return withHolder(subject, this.#parts.keyFile, ({ publicKey, keyFile, isNewKey }) => {
          const claims = { username, publicKey, expirationTime };
          const token: AccessToken = { ...claims, signature: authority.sign(tokenContent(claims)) };
          const text = toBase64(encodeAccessToken(token));
          const tokenFile = subject.kind === 'service' ? this.#parts.tokenFile : outFile;
          const isBelieved = this.#issuerOf(token) !== null;
          if (subject.kind === 'service') replacePublicFile(this.#parts.tokenFile, `${text}\n`);
          else if (outFile !== null) createPublicFile(outFile, Buffer.from(`${text}\n`));
          const told = { username, publicKey: publicKeyText(publicKey), expirationTime };
          return { token: text, ...told, keyFile, isNewKey, tokenFile, isBelieved };
        });
      });
    });
  }

  /**
   * @param text base64 of an AccessToken or of a RequestAuthInfo
   * @throws EditRefusedError when it is neither
   */
  inspect(text: string): TokenInspection {
    return orRefuse(() => {
      const bytes = fromBase64(text.trim());
      const info = bytes === null ? null : decodeRequestAuthInfo(bytes);
      const token = info?.clientAccessToken ?? parseTokenText(text);
      if (token === null) {
        throw new EditRefusedError(
          'This is neither an AccessToken nor a RequestAuthInfo in canonical encoding, base64 with padding.',
        );
      }
      const { username, publicKey, expirationTime } = token;
      return {
        message: info === null ? 'AccessToken' : 'RequestAuthInfo',
        username,
        publicKey: publicKeyText(publicKey),
        expirationTime,
        hasExpired: this.#parts.clock.now() >= (parseExpirationTime(expirationTime) ?? 0),
        issuer: this.#issuerOf(token),
        request:
          info === null
            ? null
            : {
                servicePublicKey: publicKeyText(info.servicePublicKey),
                time: isoTime(info.time),
                nonce: Buffer.from(info.nonce).toString('hex'),
              },
      };
    });
  }

  /** With a token of another authority, the service would not start any more. */
  #expectListed(authority: Buffer): void {
    const { authoritiesFile, tokenFile } = this.#parts;
    if (readListSoFar(authoritiesFile).keys.some((key) => key.equals(authority))) return;
    throw new EditRefusedError(
      `This authority is not on the list of this service (SIGNING_AUTH_AUTHORITIES_FILE, ${authoritiesFile}), and with a token of it the service would not start. ${tokenFile} was left as it was. Put the public key of the authority on the list first, on a line of its own: ${publicKeyText(authority)}`,
    );
  }

  #expirationTime(validity: TokenWish['validity']): string {
    const now = this.#parts.clock.now();
    const text = 'until' in validity ? validity.until : toSeconds(now + validity.forMs);
    const time = parseExpirationTime(text);
    if (time === null) {
      throw new EditRefusedError(
        'The time at which a token expires has to be written as 2027-01-31T00:00:00Z, in UTC.',
      );
    }
    if (time <= now) throw new EditRefusedError(`${text} is over already; a token has to expire later than now.`);
    return text;
  }

  /** Null also where there is no list, or a wrong one: nobody is believed then. */
  #issuerOf(token: AccessToken): string | null {
    const { authoritiesFile, verifier } = this.#parts;
    try {
      const issuer = issuerOf(token, readAuthorities(authoritiesFile, false), verifier);
      return issuer === undefined ? null : publicKeyText(issuer);
    } catch (error) {
      if (error instanceof OperatorError) return null;
      throw error;
    }
  }
}

/** Without fractions, as most clients write it. */
function toSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function isoTime(seconds: number): string | null {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

function orRefuse<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KeyFileError || error instanceof OperatorError || isSystemError(error))) throw error;
    throw new EditRefusedError(`${error.message}${error.message.endsWith('.') ? '' : '.'}`, { cause: error });
  }
}
