import { fileURLToPath } from 'node:url';

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** A self-signed certificate for localhost and 127.0.0.1, valid from 2020 to 2120, with its key. For tests alone. */
export const TEST_CERTIFICATE = {
  certFile: fixture('localhost-test-only.cert.pem'),
  keyFile: fixture('localhost-test-only.key.pem'),
};

/** A key that belongs to no certificate. */
export const OTHER_KEY_FILE = fixture('other-test-only.key.pem');

/** The same, encrypted. */
export const ENCRYPTED_KEY_FILE = fixture('encrypted-test-only.key.pem');
