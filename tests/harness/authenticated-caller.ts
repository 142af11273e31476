import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findResponseIssue, issueToken, newNonce, signRequest, type TestKey } from '../authentication/parties.ts';
import { AUTHORITY, CLIENT, SERVICE } from './authenticated-service.ts';
import { bs58 } from './base58.ts';

/* A caller of a service that reads the files of mutual authentication, at the current time. */

const TARGET = '/api/v1/status';
const EXPIRATION_TIME = new Date(Date.now() + 86_400_000).toISOString();

function tokenOf(username: string, { publicKey }: TestKey, authority: TestKey): Buffer {
  return issueToken(authority, { username, publicKey, expirationTime: EXPIRATION_TIME });
}

/** Writes the files of mutual authentication into a folder; returns their settings. */
export function writeAuthFiles(folder: string, authority = AUTHORITY) {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    SIGNING_AUTH: 'required',
    SIGNING_AUTH_AUTHORITIES_FILE: write('authorities.txt', bs58.encode(authority.publicKey)),
    SIGNING_AUTH_KEY_FILE: write('auth.key', SERVICE.seed.toString('hex')),
    SIGNING_AUTH_TOKEN_FILE: write('token.txt', tokenOf('signing-service', SERVICE, authority).toString('base64')),
  };
}

/** A signed request for the status. */
export interface SignedCall {
  readonly message: Buffer;
  readonly nonce: Buffer;
}

/** A new request of a caller with a token of this authority. */
export function newCall(time = Date.now(), authority = AUTHORITY): SignedCall {
  const nonce = newNonce();
  const token = tokenOf('desk-1', CLIENT, authority);
  const claims = { token, servicePublicKey: SERVICE.publicKey, time: time / 1000, nonce };
  return { message: signRequest(CLIENT, claims, { method: 'GET', target: TARGET, body: '' }), nonce };
}

/** A response, and what the caller finds wrong with it. */
export interface CallResult {
  readonly status: number;
  readonly body: string;
  /** Of a refusal. */
  readonly reason: string | undefined;
  readonly issue: string | null;
}

/** Sends a request, any number of times. */
export async function sendCall(
  url: string,
  { message, nonce } = newCall(),
  authority = AUTHORITY,
): Promise<CallResult> {
  const response = await fetch(`${url}${TARGET}`, { headers: { 'Signing-Request-Auth': message.toString('base64') } });
  const { status } = response;
  const body = await response.text();
  const header = response.headers.get('Signing-Response-Auth') ?? undefined;
  const trust = { authority: authority.publicKey, servicePublicKey: SERVICE.publicKey, now: Date.now() };
  const issue = findResponseIssue(message, nonce, { status, body, header }, trust);
  return { status, body, reason: JSON.parse(body).error?.details.reason, issue };
}
