import type { IncomingHttpHeaders } from 'node:http';
import { decodeBase64 } from '../../../domain/model/text/byte-encodings.ts';
import { type ReadCertificate, readCertificate } from './certificate-facts.ts';

/** Headers in which a proxy forwards a client certificate, lowercase. */
export const CERTIFICATE_HEADERS = ['client-cert', 'x-ssl-client-cert'] as const;

/** See {@link CERTIFICATE_HEADERS}. */
export type CertificateHeader = (typeof CERTIFICATE_HEADERS)[number];

/** Texts of a request's headers; Node joins repeated ones with `, `. */
export interface ForwardedTexts {
  readonly certificate: string;
  /** Empty without one. */
  readonly chain: string;
}

/** A client certificate and the intermediates sent with it. */
export interface ForwardedCertificate {
  readonly client: ReadCertificate;
  readonly intermediates: readonly ReadCertificate[];
}

/** More than any usual chain; all headers together are limited to 16 KiB. */
const MAX_INTERMEDIATES = 8;

/** A byte sequence without parameters, of which RFC 9440 defines none (RFC 8941 §3.3.5). */
const BYTE_SEQUENCE = /^:([A-Za-z0-9+/=]+):$/;
/** Between members of a list (RFC 8941 §3.1). */
const SEPARATOR = /[ \t]*,[ \t]*/;

/** What nginx escapes and leaves: unreserved characters of RFC 3986 §2.3. */
const ESCAPED = /^(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/;
/** One PEM block (RFC 7468 §3). */
const PEM = /^-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE-----(?:\r?\n)?$/;

/**
 * The headers with a client certificate; null if there is none: no header, an empty one, or an
 * empty byte sequence, which some proxies send.
 */
export function getForwardedTexts(headers: IncomingHttpHeaders, name: CertificateHeader): ForwardedTexts | null {
  const certificate = String(headers[name] ?? '');
  if (certificate === '' || certificate === '::') return null;
  return { certificate, chain: name === 'client-cert' ? String(headers['client-cert-chain'] ?? '') : '' };
}

/**
 * Reads a forwarded certificate. `client-cert`: byte sequences (RFC 9440 §2.1 to §2.3), base64
 * with padding. `x-ssl-client-cert`: PEM, percent-encoded as nginx's `$ssl_client_escaped_cert`.
 * @returns null if anything else is there, such as a second certificate
 */
export function readForwardedCertificate(
  name: CertificateHeader,
  { certificate, chain }: ForwardedTexts,
): ForwardedCertificate | null {
  if (name === 'x-ssl-client-cert') {
    const client = readBase64(decodePem(certificate));
    return client === null ? null : { client, intermediates: [] };
  }
  const client = readByteSequence(certificate);
  const members = chain === '' ? [] : chain.split(SEPARATOR, MAX_INTERMEDIATES + 1);
  if (client === null || members.length > MAX_INTERMEDIATES) return null;
  const intermediates = members.map(readByteSequence);
  return intermediates.includes(null) ? null : { client, intermediates: intermediates as readonly ReadCertificate[] };
}

function readByteSequence(text: string): ReadCertificate | null {
  return readBase64(BYTE_SEQUENCE.exec(text)?.[1]);
}

function decodePem(text: string): string | undefined {
  if (!ESCAPED.test(text)) return undefined;
  // Each escape is one byte; PEM is ASCII.
  const pem = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return PEM.exec(pem)?.[1]?.replaceAll(/[\r\n]/g, '');
}

function readBase64(text: string | undefined): ReadCertificate | null {
  const der = text === undefined ? undefined : decodeBase64(text);
  return der === undefined ? null : readCertificate(Buffer.from(der));
}
