import type { X509Certificate } from 'node:crypto';
import { isPrincipal } from '../../../../domain/model/principal.ts';

/** Which of the names of a certificate is taken, in this order (RFC 5280 §4.2.1.6): URI, as SPIFFE has it, host name, mail address. */
const KINDS = ['URI:', 'DNS:', 'email:'] as const;

/**
 * The name under which the holder of a client certificate calls: the first URI of its alternative names, else the first host name, else the first mail address, else its one common name. Null where that is not a
 * name that a caller may have.
 */
export function certificateName(certificate: X509Certificate): string | null {
  const name = alternativeName(certificate.subjectAltName ?? '') ?? commonName(certificate);
  return name !== undefined && isPrincipal(name) ? name : null;
}

/** Node quotes a name with a comma, a quote or a control character in it, so that it can't pass for two; such a name is none that a caller may have. */
function alternativeName(text: string): string | undefined {
  const names = text.split(', ');
  for (const kind of KINDS) {
    const found = names.find((name) => name.startsWith(kind));
    if (found !== undefined) return text.includes('"') ? '' : found.slice(kind.length);
  }
  return undefined;
}

/** Several are an array, and none of them the name. */
function commonName(certificate: X509Certificate): string | undefined {
  const { CN: name } = certificate.toLegacyObject().subject as { readonly CN?: string | readonly string[] };
  return typeof name === 'string' ? name : undefined;
}
