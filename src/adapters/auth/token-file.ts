import type { AccessToken } from '../../domain/model/authentication.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { decodeBase64 } from '../../domain/model/text/byte-encodings.ts';
import { parseIsoTime } from '../../domain/model/text/iso-time.ts';
import type { SignatureVerifier } from '../../ports/authentication.ts';
import { decodeAccessToken } from './messages/access-messages.ts';
import { tokenContent } from './messages/signed-content.ts';
import { readTextFile } from './public-key-file.ts';

const LABEL = "This service's access token (SIGNING_AUTH_TOKEN_FILE)";

/** Remedy for most problems. */
const ADVICE =
  'Run `signing-service token issue --service --expires-in 365d --authority-key-file authority.key`, which creates one for the key of this service.';

/** Parses a base64 token, surrounding white space allowed; null for other text. */
export function parseTokenText(text: string): AccessToken | null {
  const bytes = decodeBase64(text.trim());
  return bytes === undefined ? null : decodeAccessToken(bytes);
}

/** The authority that signed a token, if any. */
export function findIssuer<Key extends Uint8Array>(
  token: AccessToken,
  authorities: readonly Key[],
  verifier: SignatureVerifier,
): Key | undefined {
  const content = tokenContent(token);
  return authorities.find((authority) => verifier.verify(authority, content, token.signature));
}

/** Requirements of the service's token. */
interface TokenContext {
  readonly publicKey: Uint8Array;
  readonly authorities: readonly Uint8Array[];
  readonly verifier: SignatureVerifier;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/**
 * Reads the service's token.
 * @throws OperatorError that names file and remedy
 */
export function readServiceToken(file: string, context: TokenContext): AccessToken {
  const token = parseTokenText(readTextFile(file, LABEL, ADVICE));
  if (token === null) throw new OperatorError(`${LABEL}: ${file} contains no base64 access token. ${ADVICE}`);
  const issue = findTokenIssue(token, context);
  if (issue !== null) throw new OperatorError(`${LABEL}, ${file}, ${issue}. ${ADVICE}`);
  return token;
}

function findTokenIssue(token: AccessToken, { publicKey, authorities, verifier, now }: TokenContext): string | null {
  if (!Buffer.from(publicKey).equals(token.publicKey)) return 'is not for the key in SIGNING_AUTH_KEY_FILE';
  if (findIssuer(token, authorities, verifier) === undefined) {
    return 'is not signed by an authority of SIGNING_AUTH_AUTHORITIES_FILE';
  }
  if (now >= (parseIsoTime(token.expirationTime) ?? now)) return `expired at ${token.expirationTime}`;
  return null;
}
