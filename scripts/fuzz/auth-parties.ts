import { issueToken, TestKey } from '../../tests/authentication/parties.ts';
import { FUZZ_PRINCIPAL } from './fuzz-permissions.ts';

const EXPIRATION_TIME = '2100-01-01T00:00:00Z';

/** Whoever has a part in mutual authentication (docs/AUTHENTICATION.md): always the same, so that a seed makes the same tokens. */
export const AUTHORITY = new TestKey(0xa1);
export const SERVICE = new TestKey(0x5e);
export const CLIENT = new TestKey(0xc1);

export const SERVICE_TOKEN = tokenOf('signing-service', SERVICE);
export const CLIENT_TOKEN = tokenOf(FUZZ_PRINCIPAL, CLIENT);

function tokenOf(username: string, { publicKey }: TestKey): Buffer {
  return issueToken(AUTHORITY, { username, publicKey, expirationTime: EXPIRATION_TIME });
}
