import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { projectUrl } from '../project-root.ts';

const FILE = projectUrl('tests/fixtures/rsa-test-only.keys.pem');

/**
 * Test keys of OpenSSL 3.0, PKCS#8 PEM, by `openssl genpkey -algorithm RSA -pkeyopt
 * rsa_keygen_bits:…`: two of 2048 bits, one of 3072 and one of 4096.
 */
export const RSA_KEYS: readonly string[] =
  readFileSync(FILE, 'utf8').match(/-----BEGIN[\s\S]+?END PRIVATE KEY-----\n/g) ?? [];

/** RSAPrivateKey (RFC 8017 §A.1.2) of each of {@link RSA_KEYS}. */
export const RSA_KEYS_DER: readonly Uint8Array[] = RSA_KEYS.map((pem) =>
  createPrivateKey(pem).export({ format: 'der', type: 'pkcs1' }),
);
