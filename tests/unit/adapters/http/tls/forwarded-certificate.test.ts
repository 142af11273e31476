import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  type CertificateHeader,
  getForwardedTexts,
  readForwardedCertificate,
} from '../../../../../src/adapters/http/tls/forwarded-certificate.ts';

/* RFC 9440 Appendix A, Figures 1 to 3: a client, an intermediate and a root certificate. */

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
const INTERMEDIATE = [
  'MIIB5jCCAYugAwIBAgIBFjAKBggqhkjOPQQDAjBWMQswCQYDVQQGEwJVUzEbMBkG',
  'A1UECgwSTGV0J3MgQXV0aGVudGljYXRlMSowKAYDVQQDDCFMZXQncyBBdXRoZW50',
  'aWNhdGUgUm9vdCBBdXRob3JpdHkwHhcNMjAwMTE0MjEzMjMwWhcNMzAwMTExMjEz',
  'MjMwWjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxB',
  'IEludGVybWVkaWF0ZSBDQTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJf+aA54',
  'RC5pyLAR5yfXVYmNpgd+CGUTDp2KOGhc0gK91zxhHesEYkdXkpS2UN8Kati+yHtW',
  'CV3kkhCngGyv7RqjZjBkMB0GA1UdDgQWBBRm3WjLa38lbEYCuiCPct0ZaSED2DAf',
  'BgNVHSMEGDAWgBTEA2Q6eecKu9g9yb5glbkhhVINGDASBgNVHRMBAf8ECDAGAQH/',
  'AgEAMA4GA1UdDwEB/wQEAwIBhjAKBggqhkjOPQQDAgNJADBGAiEA5pLvaFwRRkxo',
  'mIAtDIwg9D7gC1xzxBl4r28EzmSO1pcCIQCJUShpSXO9HDIQMUgH69fNDEMHXD3R',
  'RX5gP7kuu2KGMg==',
];
const ROOT = [
  'MIICBjCCAaygAwIBAgIJAKS0yiqKtlhoMAoGCCqGSM49BAMCMFYxCzAJBgNVBAYT',
  'AlVTMRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxKjAoBgNVBAMMIUxldCdz',
  'IEF1dGhlbnRpY2F0ZSBSb290IEF1dGhvcml0eTAeFw0yMDAxMTQyMTI1NDVaFw00',
  'MDAxMDkyMTI1NDVaMFYxCzAJBgNVBAYTAlVTMRswGQYDVQQKDBJMZXQncyBBdXRo',
  'ZW50aWNhdGUxKjAoBgNVBAMMIUxldCdzIEF1dGhlbnRpY2F0ZSBSb290IEF1dGhv',
  'cml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFoaHU+Z5bPKmGzlYXtCf+E6',
  'HYj62fORaHDOrt+yyh3H/rTcs7ynFfGn+gyFsrSP3Ez88rajv+U2NfD0o0uZ4Pmj',
  'YzBhMB0GA1UdDgQWBBTEA2Q6eecKu9g9yb5glbkhhVINGDAfBgNVHSMEGDAWgBTE',
  'A2Q6eecKu9g9yb5glbkhhVINGDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQE',
  'AwIBhjAKBggqhkjOPQQDAgNIADBFAiEAmAeg1ycKHriqHnaD4M/UDBpQRpkmdcRF',
  'YGMg1Qyrkx4CIB4ivz3wQcQkGhcsUZ1SOImd/lq1Q0FLf09rGfLQPWDc',
];

const byteSequence = (lines: readonly string[]) => `:${lines.join('')}:`;
const pemOf = (lines: readonly string[], eol = '\n') =>
  `${['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join(eol)}${eol}`;

/** Subjects of the client and the intermediates; null if rejected. */
function subjectsIn(name: CertificateHeader, certificate: string, chain = ''): readonly string[] | null {
  const read = readForwardedCertificate(name, { certificate, chain });
  return read === null ? null : [read.client, ...read.intermediates].map(({ x509 }) => x509.subject);
}

const CLIENT_SUBJECT = 'CN=BC';
const INTERMEDIATE_SUBJECT = "O=Let's Authenticate\nCN=LA Intermediate CA";
const ROOT_SUBJECT = "C=US\nO=Let's Authenticate\nCN=Let's Authenticate Root Authority";

describe('Client-Cert (RFC 9440)', () => {
  const subjects = (certificate: string, chain?: string) => subjectsIn('client-cert', certificate, chain);
  const client = byteSequence(CLIENT);
  const [intermediate, root] = [byteSequence(INTERMEDIATE), byteSequence(ROOT)];

  it("is the RFC's example, with and without the chain", () => {
    expect(new X509Certificate(pemOf(CLIENT)).subject).to.equal(CLIENT_SUBJECT);
    expect(subjects(client)).to.deep.equal([CLIENT_SUBJECT]);
    const all = [CLIENT_SUBJECT, INTERMEDIATE_SUBJECT, ROOT_SUBJECT];
    for (const separator of [', ', ',', ' ,\t ']) {
      expect(subjects(client, `${intermediate}${separator}${root}`)).to.deep.equal(all);
    }
  });

  it('is one byte sequence: no list, parameters, other type or second header', () => {
    const base64 = client.slice(1, -1);
    const hostile = [
      ...[base64, `:${base64}`, `${base64}:`, `"${base64}"`, `::${base64}::`, `: ${base64}:`, `:${base64} :`],
      ...[`${client}, ${client}`, `${client},`, `${client};a=1`, `(${client})`, `${client}${client}`],
      ...[`:${base64.slice(0, -1)}:`, `:${base64}=:`, `:${base64.replace('/', '_')}:`, `:${base64.slice(0, 64)}\n:`],
      ...[':-----BEGIN CERTIFICATE-----:', `:${btoa(pemOf(CLIENT))}:`, ':AAAA:', ':MA==:', ':====:'],
    ];
    for (const text of hostile) expect(subjects(text), text.slice(0, 80)).to.equal(null);
  });

  it('has a chain of up to eight byte sequences', () => {
    const members = (count: number) => Array(count).fill(intermediate).join(', ');
    expect(subjects(client, members(8))).to.have.length(9);
    expect(subjects(client, members(9))).to.equal(null);
    for (const chain of [`${intermediate},`, `,${intermediate}`, ',', `${intermediate} ${root}`, ':AAAA:', 'x']) {
      expect(subjects(client, chain), chain.slice(0, 80)).to.equal(null);
    }
  });

  it('is rejected if any byte is missing', () => {
    for (let end = 0; end < client.length; end += 5) expect(subjects(client.slice(0, end)), `${end}`).to.equal(null);
  });
});

describe('X-SSL-Client-Cert', () => {
  const subjects = (certificate: string, chain?: string) => subjectsIn('x-ssl-client-cert', certificate, chain);
  // Like nginx, it escapes all but letters, digits and "-._~" of what PEM contains.
  const escaped = encodeURIComponent(pemOf(CLIENT));

  it('is percent-encoded PEM', () => {
    expect(escaped).to.match(/^-----BEGIN%20CERTIFICATE-----%0AMIIB/);
    expect(subjects(escaped)).to.deep.equal([CLIENT_SUBJECT]);
    expect(subjects(escaped.replaceAll(/%../g, (hex) => hex.toLowerCase()))).to.deep.equal([CLIENT_SUBJECT]);
    expect(subjects(encodeURIComponent(pemOf(CLIENT, '\r\n')))).to.deep.equal([CLIENT_SUBJECT]);
    expect(subjects(escaped.slice(0, -'%0A'.length))).to.deep.equal([CLIENT_SUBJECT]);
  });

  it('has no chain', () => {
    expect(subjects(escaped, byteSequence(INTERMEDIATE))).to.deep.equal([CLIENT_SUBJECT]);
  });

  it('is one certificate and nothing else', () => {
    const hostile = [
      ...[pemOf(CLIENT), byteSequence(CLIENT), `${escaped}, ${escaped}`, `${escaped}${escaped}`],
      encodeURIComponent(pemOf(CLIENT) + pemOf(ROOT)),
      encodeURIComponent(`x\n${pemOf(CLIENT)}`),
      encodeURIComponent(`${pemOf(CLIENT)}\n`),
      encodeURIComponent(pemOf(CLIENT).replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE')),
      encodeURIComponent(pemOf(CLIENT).replaceAll('CERTIFICATE', 'X509 CERTIFICATE')),
      ...['%', '%2', '%GG', `${escaped}%`, `${escaped}%C3%A9`, `${escaped}%00`, escaped.replaceAll('%20', '+')],
      encodeURIComponent(pemOf(['AAAA'])),
      encodeURIComponent(pemOf([''])),
      encodeURIComponent(pemOf(CLIENT.slice(1))),
    ];
    for (const text of hostile) expect(subjects(text), text.slice(0, 80)).to.equal(null);
  });
});

describe('getForwardedTexts', () => {
  it('reads only the named header, and takes an empty one as none', () => {
    const headers = { 'client-cert': ':YQ==:', 'client-cert-chain': ':Yg==:', 'x-ssl-client-cert': 'pem' };
    expect(getForwardedTexts(headers, 'client-cert')).to.deep.equal({ certificate: ':YQ==:', chain: ':Yg==:' });
    expect(getForwardedTexts(headers, 'x-ssl-client-cert')).to.deep.equal({ certificate: 'pem', chain: '' });
    for (const none of [{}, { 'client-cert': '' }, { 'client-cert': '::' }, { 'client-cert-chain': ':Yg==:' }]) {
      expect(getForwardedTexts(none, 'client-cert')).to.equal(null);
    }
  });
});
