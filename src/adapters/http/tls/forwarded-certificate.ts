import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { unescape as percentDecode } from 'node:querystring';
import { decodeBase64 } from '../../../domain/model/text/byte-encodings.ts';

/** Headers in which a proxy forwards a client certificate, lowercase. */
export const CERTIFICATE_HEADERS = ['client-cert', 'x-ssl-client-cert'] as const;

/** See {@link CERTIFICATE_HEADERS}. */
export type CertificateHeader = (typeof CERTIFICATE_HEADERS)[number];

/** A byte sequence without parameters, of which RFC 9440 defines none (RFC 8941 §3.3.5). */
const BYTE_SEQUENCE = /^:([A-Za-z0-9+/=]+):$/;

/** Text as nginx escapes it: all but unreserved characters (RFC 3986 §2.3). */
const ESCAPED = /^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/;
/** One PEM block (RFC 7468 §3). */
const PEM = /^-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE-----(?:\r?\n)?$/;

/**
 * The header with a client certificate; Node joins repeated ones with `, `. Null without a
 * certificate: no header, an empty one, or an empty byte sequence, which some proxies send.
 */
export function getForwardedText(headers: IncomingHttpHeaders, name: CertificateHeader): string | null {
  const text = String(headers[name] ?? '');
  return text === '' || text === '::' ? null : text;
}

/**
 * Reads a forwarded certificate. `client-cert`: a byte sequence (RFC 9440 §2.1 and §2.2), base64
 * with padding. `x-ssl-client-cert`: PEM, percent-encoded as nginx's `$ssl_client_escaped_cert`.
 * @returns null for anything else, such as a second certificate
 */
export function readForwardedCertificate(name: CertificateHeader, text: string): X509Certificate | null {
  const base64 = name === 'client-cert' ? BYTE_SEQUENCE.exec(text)?.[1] : decodePem(text);
  const der = base64 === undefined ? undefined : decodeBase64(base64);
  return der === undefined ? null : readCertificate(der);
}

/**
 * Reads one DER certificate (RFC 5280 §4.1).
 * @returns null unless it is exactly one certificate in DER, with a kind of key that Node knows
 */
export function readCertificate(der: Uint8Array): X509Certificate | null {
  try {
    const certificate = new X509Certificate(der);
    // Node also takes PEM, and ignores bytes after a certificate.
    return certificate.raw.equals(der) && certificate.publicKey.asymmetricKeyType !== undefined ? certificate : null;
  } catch {
    return null;
  }
}

function decodePem(text: string): string | undefined {
  if (!ESCAPED.test(text)) return undefined;
  return PEM.exec(percentDecode(text))?.[1]?.replaceAll(/[\r\n]/g, '');
}
