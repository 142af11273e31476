import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AccessToken,
  type IssuedToken,
  isPrincipal,
  type NewAuthority,
  type TokenInspection,
  type TokenSpec,
} from '../../domain/model/authentication.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { decodeBase64, encodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import { parseIsoTime } from '../../domain/model/text/iso-time.ts';
import type { SignatureVerifier } from '../../ports/authentication.ts';
import type { WallClock } from '../../ports/clock.ts';
import { createFolders } from '../files/folders.ts';
import { createPublicFile, replacePublicFile } from '../files/replace-file.ts';
import { getTextToAppendTo, readAuthorities, readListForEdit } from './authorities-file.ts';
import { withAuthorityKey, withHolder, withNewKey } from './holder-keys.ts';
import { decodeRequestAuthInfo, encodeAccessToken } from './messages/access-messages.ts';
import { tokenContent } from './messages/signed-content.ts';
import { findIssuer, parseTokenText } from './token-file.ts';

const FOLDER_MODE = 0o700;

export interface TokenAdministrationParts {
  readonly authoritiesFile: string;
  /** The service's key. */
  readonly keyFile: string;
  /** The service's token. */
  readonly tokenFile: string;
  readonly verifier: SignatureVerifier;
  readonly clock: WallClock;
}

/**
 * Issues and inspects access tokens. Keys stay in locked memory and owner-only files, never written
 * over an existing one. Never leaves files that would keep a working service from starting. A
 * method that throws removes what it created.
 */
export class TokenAdministration {
  readonly #parts: TokenAdministrationParts;

  constructor(parts: TokenAdministrationParts) {
    this.#parts = parts;
  }

  /**
   * @param trust whether to append its public key to the service's authorities
   * @throws OperatorError with reason and remedy
   */
  createAuthority(keyFile: string, trust: boolean): NewAuthority {
    const { authoritiesFile } = this.#parts;
    // First: an invalid or full list rejects the addition.
    const before = trust ? getTextToAppendTo(authoritiesFile) : null;
    return withNewKey(keyFile, (key) => {
      const publicKey = encodeBase58(key);
      if (before === null) return { publicKey, keyFile, authoritiesFile: null };
      createFolders(dirname(authoritiesFile), FOLDER_MODE);
      replacePublicFile(authoritiesFile, Buffer.from(`${before}${publicKey}\n`));
      return { publicKey, keyFile, authoritiesFile };
    });
  }

  /** @throws OperatorError with reason and remedy */
  issue(spec: TokenSpec): IssuedToken {
    const { username, authorityKeyFile, subject, outFile } = spec;
    if (!isPrincipal(username)) {
      throw new OperatorError(
        'A username must have 1 to 256 letters, digits, spaces or . _ : @ / = + , - and start with a letter or digit; "anonymous" is reserved.',
      );
    }
    const expirationTime = this.#expirationTime(spec.validity);
    if (outFile !== null && existsSync(outFile)) {
      throw new OperatorError(`${outFile} already exists and was not changed; choose another file.`);
    }
    return withAuthorityKey(authorityKeyFile, (authority) => {
      if (subject.kind === 'service') this.#expectListed(authority.publicKey);
      return withHolder(subject, this.#parts.keyFile, ({ publicKey, keyFile, isNewKey }) => {
        const claims = { username, publicKey, expirationTime };
        const token: AccessToken = { ...claims, signature: authority.sign(tokenContent(claims)) };
        const text = Buffer.from(encodeAccessToken(token)).toString('base64');
        const tokenFile = subject.kind === 'service' ? this.#parts.tokenFile : outFile;
        const isBelieved = this.#findIssuer(token) !== null;
        if (subject.kind === 'service') replacePublicFile(this.#parts.tokenFile, Buffer.from(`${text}\n`));
        else if (outFile !== null) createPublicFile(outFile, Buffer.from(`${text}\n`));
        const fields = { username, publicKey: encodeBase58(publicKey), expirationTime };
        return { token: text, ...fields, keyFile, isNewKey, tokenFile, isBelieved };
      });
    });
  }

  /**
   * @param text base64 of an AccessToken or RequestAuthInfo
   * @throws OperatorError for anything else
   */
  inspect(text: string): TokenInspection {
    const bytes = decodeBase64(text.trim());
    const info = bytes === undefined ? null : decodeRequestAuthInfo(bytes);
    const token = info?.clientAccessToken ?? parseTokenText(text);
    if (token === null) {
      throw new OperatorError(
        'This is neither an AccessToken nor a RequestAuthInfo in canonical encoding, base64 with padding.',
      );
    }
    const { username, publicKey, expirationTime } = token;
    return {
      message: info === null ? 'AccessToken' : 'RequestAuthInfo',
      username,
      publicKey: encodeBase58(publicKey),
      expirationTime,
      hasExpired: this.#parts.clock.now() >= (parseIsoTime(expirationTime) ?? 0),
      issuer: this.#findIssuer(token),
      request:
        info === null
          ? null
          : {
              servicePublicKey: encodeBase58(info.servicePublicKey),
              time: isoTime(info.time),
              nonce: Buffer.from(info.nonce).toString('hex'),
            },
    };
  }

  /** The service would not start with another authority's token. */
  #expectListed(authority: Buffer): void {
    const { authoritiesFile, tokenFile } = this.#parts;
    if (readListForEdit(authoritiesFile).keys.some((key) => key.equals(authority))) return;
    throw new OperatorError(
      `This authority is not trusted by this service (SIGNING_AUTH_AUTHORITIES_FILE, ${authoritiesFile}), so the service would not start with its token. ${tokenFile} was not changed. First add the public key of the authority to the list, on a separate line: ${encodeBase58(authority)}`,
    );
  }

  #expirationTime(validity: TokenSpec['validity']): string {
    const now = this.#parts.clock.now();
    const text = 'until' in validity ? validity.until : toSeconds(now + validity.forMs);
    const time = parseIsoTime(text);
    if (time === null) {
      throw new OperatorError('The expiry time of a token must have the form 2027-01-31T00:00:00Z, in UTC.');
    }
    if (time <= now) throw new OperatorError(`${text} is in the past; a token must expire in the future.`);
    return text;
  }

  /** Null also if the list is missing or invalid. */
  #findIssuer(token: AccessToken): string | null {
    const { authoritiesFile, verifier } = this.#parts;
    try {
      const issuer = findIssuer(token, readAuthorities(authoritiesFile, false), verifier);
      return issuer === undefined ? null : encodeBase58(issuer);
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
