import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsFileNames } from '../../src/adapters/driving/http/tls/tls-files.ts';
import { Authority } from '../../tests/api/make-authority.ts';
import { FUZZ_PRINCIPAL, LIMITED_PRINCIPAL } from './fuzz-permissions.ts';

/** What a caller over HTTPS shows: a certificate that may do everything, next to nothing, nothing (of another authority, or for servers), or none. */
export const CERTIFICATES = ['own', 'limited', 'foreign', 'misused', 'none'] as const;

/** See {@link CERTIFICATES}. */
export type Certificate = (typeof CERTIFICATES)[number];

/** The authority that the service believes, and what its callers connect with. */
export interface ClientCertificates {
  readonly caFile: string;
  readonly contexts: { readonly [Name in Certificate]: SecureContext };
}

/** Makes them in a folder, by OpenSSL. */
export function makeClientCertificates(folder: string): ClientCertificates {
  const authority = new Authority(folder, 'clients-ca');
  const name = `/CN=${FUZZ_PRINCIPAL}`;
  return {
    caFile: authority.certFile,
    contexts: {
      own: contextOf(authority.issue('own', { name })),
      limited: contextOf(authority.issue('limited', { name: `/CN=${LIMITED_PRINCIPAL}` })),
      foreign: contextOf(new Authority(folder, 'foreign-ca').issue('foreign', { name })),
      misused: contextOf(authority.issue('misused', { name, use: 'serverAuth' })),
      none: createSecureContext(),
    },
  };
}

function contextOf({ certFile, keyFile }: TlsFileNames): SecureContext {
  return createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
}
