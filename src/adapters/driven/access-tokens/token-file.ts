import { decodeAccessToken } from '../../../access-messages/access-token-message.ts';
import { fromBase64 } from '../../../access-messages/base64-text.ts';
import { tokenContent } from '../../../access-messages/signed-content.ts';
import { type AccessToken, parseExpirationTime } from '../../../domain/model/access-token.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { SignatureVerifier } from '../../../ports/signature-verifier.ts';
import { readTextFile } from './read-text-file.ts';

const WHAT = "This service's access token (SIGNING_AUTH_TOKEN_FILE)";

/** What mends most of what can be wrong with it. */
const ADVICE = 'Run `signing-service token issue --service`, which makes one for the key of this service.';

/** A token in its text form, base64 with blanks around it; null for another text. */
export function parseTokenText(text: string): AccessToken | null {
  const bytes = fromBase64(text.trim());
  return bytes === null ? null : decodeAccessToken(bytes);
}

/** Which of these authorities signed a token; undefined when none of them did. */
export function issuerOf<Key extends Uint8Array>(
  token: AccessToken,
  authorities: readonly Key[],
  verifier: SignatureVerifier,
): Key | undefined {
  const content = tokenContent(token);
  return authorities.find((authority) => verifier.verify(authority, content, token.signature));
}

/** What a token of this service has to fit. */
export interface TokenSurroundings {
  readonly publicKey: Uint8Array;
  readonly authorities: readonly Uint8Array[];
  readonly verifier: SignatureVerifier;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/**
 * The token of this service, which clients will believe.
 * @throws OperatorError that names the file and what to do
 */
export function readServiceToken(file: string, surroundings: TokenSurroundings): AccessToken {
  const token = parseTokenText(readTextFile(file, WHAT, ADVICE));
  if (token === null) throw new OperatorError(`${WHAT}: ${file} holds no access token in base64. ${ADVICE}`);
  const fault = findFault(token, surroundings);
  if (fault !== null) throw new OperatorError(`${WHAT}, ${file}, ${fault}. ${ADVICE}`);
  return token;
}

function findFault(token: AccessToken, { publicKey, authorities, verifier, now }: TokenSurroundings): string | null {
  if (!Buffer.from(publicKey).equals(token.publicKey))
    return 'is for another key than the one in SIGNING_AUTH_KEY_FILE';
  if (issuerOf(token, authorities, verifier) === undefined) {
    return 'is signed by no authority of SIGNING_AUTH_AUTHORITIES_FILE';
  }
  if (now >= (parseExpirationTime(token.expirationTime) ?? now)) return `expired at ${token.expirationTime}`;
  return null;
}
