import {
  AUTHORITY,
  CLIENT,
  CLIENT_TOKEN,
  EXPIRATION_TIME,
  SERVICE,
  SERVICE_TOKEN,
} from '../harness/authenticated-service.ts';
import { requestContent, signRequest, type TestClaims, tokenContent } from './parties.ts';
import { sha256 } from './wire.ts';

/** Request of the worked example in docs/callers/authentication.md. */
export const DOCUMENTED_REQUEST = {
  method: 'POST',
  target: '/api/v1/sign',
  body: '{"platformId":"verbatim","accountId":"rfc8032-0","data":{"text":"hello"}}',
};

export const DOCUMENTED_CLAIMS: TestClaims = {
  token: CLIENT_TOKEN,
  servicePublicKey: SERVICE.publicKey,
  time: Date.parse('2026-11-20T08:49:01.000Z') / 1000,
  nonce: Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'),
};

/**
 * Values of the worked example that don't depend on the response, computed without the service's
 * code.
 */
export function documentedValues(): Readonly<Record<string, string>> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const message = signRequest(CLIENT, DOCUMENTED_CLAIMS, DOCUMENTED_REQUEST);
  const clientClaims = { username: 'desk-1', publicKey: CLIENT.publicKey, expirationTime: EXPIRATION_TIME };
  return {
    'authority seed': hex(AUTHORITY.seed),
    'authority public key': hex(AUTHORITY.publicKey),
    'client seed': hex(CLIENT.seed),
    'client public key': hex(CLIENT.publicKey),
    'service seed': hex(SERVICE.seed),
    'service public key': hex(SERVICE.publicKey),
    username: 'desk-1',
    expiration_time: EXPIRATION_TIME,
    'signed by the authority': hex(tokenContent(clientClaims)),
    'client token': hex(CLIENT_TOKEN),
    'service token': hex(SERVICE_TOKEN),
    method: DOCUMENTED_REQUEST.method,
    path: DOCUMENTED_REQUEST.target,
    body: DOCUMENTED_REQUEST.body,
    time: String(DOCUMENTED_CLAIMS.time),
    nonce: hex(DOCUMENTED_CLAIMS.nonce),
    'SHA-256 of the body': hex(sha256(DOCUMENTED_REQUEST.body)),
    'signed by the client': hex(requestContent(DOCUMENTED_CLAIMS, DOCUMENTED_REQUEST)),
    'Signing-Request-Auth': message.toString('base64'),
  };
}
