import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  type CertificateHeader,
  readForwardedCertificate,
} from '../../../../../src/adapters/http/tls/forwarded-certificate.ts';

/* RFC 9440 Appendix A, Figure 1: a client certificate. */

const CLIENT = [
  'MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBB',
  'dXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAx',
  'MTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZI',
  'zj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p',
  '5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIw',
  'ADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMC',
  'BsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1w',
  'bGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMje',
  'SkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=',
];

const byteSequence = (lines: readonly string[]) => `:${lines.join('')}:`;
const pemOf = (lines: readonly string[], eol = '\n') =>
  `${['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join(eol)}${eol}`;

/** Null if rejected. */
const subjectIn = (name: CertificateHeader, text: string) => readForwardedCertificate(name, text)?.subject ?? null;

const CLIENT_SUBJECT = 'CN=BC';

describe('Client-Cert (RFC 9440)', () => {
  const subject = (text: string) => subjectIn('client-cert', text);
  const client = byteSequence(CLIENT);

  it("is the RFC's example", () => {
    expect(new X509Certificate(pemOf(CLIENT)).subject).to.equal(CLIENT_SUBJECT);
    expect(subject(client)).to.equal(CLIENT_SUBJECT);
  });

  it('is one byte sequence: no list, parameters, other type or second header', () => {
    const base64 = client.slice(1, -1);
    const hostile = [
      ...[base64, `:${base64}`, `${base64}:`, `"${base64}"`, `::${base64}::`, `: ${base64}:`, `:${base64} :`],
      ...[`${client}, ${client}`, `${client},`, `${client};a=1`, `(${client})`, `${client}${client}`],
      ...[`:${base64.slice(0, -1)}:`, `:${base64}=:`, `:${base64.replace('/', '_')}:`, `:${base64.slice(0, 64)}\n:`],
      ...[':-----BEGIN CERTIFICATE-----:', `:${btoa(pemOf(CLIENT))}:`, ':AAAA:', ':MA==:', ':====:'],
    ];
    for (const text of hostile) expect(subject(text), text.slice(0, 80)).to.equal(null);
  });

  it('is exactly one certificate in DER', () => {
    const der = Buffer.from(CLIENT.join(''), 'base64');
    for (const more of [Buffer.alloc(1), der]) {
      expect(subject(`:${Buffer.concat([der, more]).toString('base64')}:`)).to.equal(null);
    }
    for (let end = 0; end < der.length; end += 31) {
      expect(subject(`:${der.subarray(0, end).toString('base64')}:`), `${end}`).to.equal(null);
    }
  });
});

describe('X-SSL-Client-Cert', () => {
  const subject = (text: string) => subjectIn('x-ssl-client-cert', text);
  // Like nginx, it escapes all but letters, digits and "-._~" of what PEM contains.
  const escaped = encodeURIComponent(pemOf(CLIENT));

  it('is percent-encoded PEM', () => {
    expect(escaped).to.match(/^-----BEGIN%20CERTIFICATE-----%0AMIIB/);
    expect(subject(escaped)).to.equal(CLIENT_SUBJECT);
    expect(subject(escaped.replaceAll(/%../g, (hex) => hex.toLowerCase()))).to.equal(CLIENT_SUBJECT);
    expect(subject(encodeURIComponent(pemOf(CLIENT, '\r\n')))).to.equal(CLIENT_SUBJECT);
    expect(subject(escaped.slice(0, -'%0A'.length))).to.equal(CLIENT_SUBJECT);
  });

  it('is one certificate and nothing else', () => {
    const hostile = [
      ...[pemOf(CLIENT), byteSequence(CLIENT), `${escaped}, ${escaped}`, `${escaped}${escaped}`],
      encodeURIComponent(pemOf(CLIENT) + pemOf(CLIENT)),
      encodeURIComponent(`x\n${pemOf(CLIENT)}`),
      encodeURIComponent(`${pemOf(CLIENT)}\n`),
      encodeURIComponent(pemOf(CLIENT).replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE')),
      encodeURIComponent(pemOf(CLIENT).replaceAll('CERTIFICATE', 'X509 CERTIFICATE')),
      ...['%', '%2', '%GG', `${escaped}%`, `${escaped}%C3%A9`, `${escaped}%00`, escaped.replaceAll('%20', '+')],
      encodeURIComponent(pemOf(['AAAA'])),
      encodeURIComponent(pemOf([''])),
      encodeURIComponent(pemOf(CLIENT.slice(1))),
    ];
    for (const text of hostile) expect(subject(text), text.slice(0, 80)).to.equal(null);
  });
});
