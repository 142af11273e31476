import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ReadCertificate, readCertificate } from '../../../../../src/adapters/http/tls/certificate-facts.ts';
import { findPaths, type PathSearchResult } from '../../../../../src/adapters/http/tls/certificate-path.ts';
import type { TlsFileNames } from '../../../../../src/adapters/http/tls/tls-files.ts';
import { Authority, type AuthoritySubject, type Subject } from '../../../../api/harness/test-authority.ts';

type CertFile = Pick<TlsFileNames, 'certFile'>;

const pem = ({ certFile }: CertFile) => readFileSync(certFile, 'latin1');

function read(file: CertFile): ReadCertificate {
  const certificate = readCertificate(new X509Certificate(pem(file)).raw);
  if (certificate === null) throw new Error(`${file.certFile} was not read.`);
  return certificate;
}

function search(client: CertFile, intermediates: readonly CertFile[], authorities: readonly CertFile[]) {
  return findPaths(read(client), { intermediates: intermediates.map(read), authorities: authorities.map(read) });
}

const problemOf = (result: PathSearchResult) => ('problem' in result ? result.problem : null);

describe('The path of a forwarded certificate', () => {
  let folder: string;
  let root: Authority;
  let count = 0;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-paths-'));
    root = new Authority(folder, 'root');
  });
  after(() => rmSync(folder, { recursive: true }));

  const next = () => {
    count += 1;
    return `certificate-${count}`;
  };
  const authority = (by?: Authority, subject: AuthoritySubject = {}) => new Authority(folder, next(), by, subject);
  const client = (by: Authority, subject: Partial<Subject> = {}) => by.issue(next(), { name: '/CN=bot-1', ...subject });

  /** What OpenSSL says of the same certificates, for TLS clients. */
  function isAcceptedByOpenssl(one: CertFile, intermediates: readonly CertFile[], authorities: readonly CertFile[]) {
    const [trusted, untrusted] = [join(folder, 'trusted.pem'), join(folder, 'untrusted.pem')];
    writeFileSync(trusted, authorities.map(pem).join(''));
    writeFileSync(untrusted, intermediates.map(pem).join(''));
    const chain = intermediates.length === 0 ? [] : ['-untrusted', untrusted];
    const options = ['-purpose', 'sslclient', '-auth_level', '2', '-no-CApath', '-no-CAstore', '-CAfile', trusted];
    return spawnSync('openssl', ['verify', ...options, ...chain, one.certFile]).status === 0;
  }

  /** Compares both. */
  function expectPath(
    problem: string | null,
    one: CertFile,
    intermediates: readonly CertFile[],
    authorities: readonly CertFile[],
  ): void {
    expect(problemOf(search(one, intermediates, authorities))).to.equal(problem);
    expect(isAcceptedByOpenssl(one, intermediates, authorities)).to.equal(problem === null);
  }

  it('leads to a trusted root, directly or by intermediates from the file or the caller', () => {
    const middle = authority(root);
    const low = authority(middle);
    expectPath(null, client(root), [], [root]);
    expectPath(null, client(low), [low, middle], [root]);
    expectPath(null, client(low), [middle, low], [root]);
    expectPath(null, client(low), [low], [root, middle]);
    expectPath(null, client(low), [], [low, middle, root]);
    expectPath('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(low), [low], [root]);
    expectPath('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(low), [low, middle], [authority()]);
  });

  it('ends at an authority, not at a root that the caller sends', () => {
    const own = authority();
    expectPath('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(own), [own], [root]);
    expectPath('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(own), [], [root]);
  });

  it('needs a signature by the key of the authority, not only its name', () => {
    const same = new Authority(mkdtempSync(join(folder, 'same-')), 'root', undefined, { hasKeyId: false });
    const bot = client(root);
    expect(read(bot).x509.checkIssued(read(same).x509)).to.equal(true);
    expectPath('CERT_SIGNATURE_FAILURE', bot, [], [same]);
    expect(problemOf(search(bot, [], [same, root]))).to.equal(null);
  });

  it('has clients for TLS, with a key usage that signs', () => {
    expectPath('INVALID_PURPOSE', client(root, { use: 'serverAuth' }), [], [root]);
    expectPath('INVALID_PURPOSE', client(root, { use: 'anyExtendedKeyUsage' }), [], [root]);
    expectPath(null, client(root, { use: 'serverAuth,clientAuth' }), [], [root]);
    expectPath('INVALID_PURPOSE', client(root, { extensions: ['keyUsage=keyEncipherment'] }), [], [root]);
    expectPath(null, client(root, { extensions: ['keyUsage=critical,digitalSignature'] }), [], [root]);
    expectPath('INVALID_PURPOSE', client(root, { extensions: ['nsCertType=server'] }), [], [root]);
    expectPath(null, client(root, { extensions: ['nsCertType=client'] }), [], [root]);
  });

  it('has issuers that are authorities for TLS clients', () => {
    const bot = authority(root, { constraints: 'CA:FALSE' });
    expectPath('INVALID_CA', client(bot), [bot], [root]);
    const unsigning = authority(root, { extensions: ['keyUsage=critical,digitalSignature'] });
    expectPath('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(unsigning), [unsigning], [root]);
    const servers = authority(root, { extensions: ['extendedKeyUsage=serverAuth'] });
    expectPath('INVALID_PURPOSE', client(servers), [servers], [root]);
    const clients = authority(root, { extensions: ['extendedKeyUsage=clientAuth'] });
    expectPath(null, client(clients), [clients], [root]);
  });

  it('is as long as each authority permits', () => {
    const short = authority(undefined, { constraints: 'critical,CA:TRUE,pathlen:0' });
    const below = authority(short);
    expectPath(null, client(short), [], [short]);
    expectPath('PATH_LENGTH_EXCEEDED', client(below), [below], [short]);
    const longer = authority(undefined, { constraints: 'critical,CA:TRUE,pathlen:1' });
    const middle = authority(longer);
    expectPath(null, client(middle), [middle], [longer]);
    const low = authority(middle);
    expectPath('PATH_LENGTH_EXCEEDED', client(low), [low, middle], [longer]);
  });

  it('has no critical extension that is unknown', () => {
    const unknown = client(root, { extensions: ['1.2.3.4=critical,ASN1:UTF8String:x'] });
    expectPath('UNHANDLED_CRITICAL_EXTENSION', unknown, [], [root]);
    expectPath(null, client(root, { extensions: ['1.2.3.4=ASN1:UTF8String:x'] }), [], [root]);
  });

  it('has no weak key or signature', () => {
    expectPath('CA_MD_TOO_WEAK', client(root, { options: ['-sha1'] }), [], [root]);
    const small = client(root, { key: ['-newkey', 'rsa:1024', '-nodes'] });
    expectPath('EE_KEY_TOO_SMALL', small, [], [root]);
    expectPath(null, client(root, { key: ['-newkey', 'rsa:2048', '-nodes'] }), [], [root]);
  });

  it('has no name constraints, although OpenSSL would apply them', () => {
    const constrained = authority(root, { extensions: ['nameConstraints=permitted;DNS:desk.example'] });
    const bot = client(constrained, { alternativeNames: 'DNS:bot.desk.example' });
    expect(problemOf(search(bot, [constrained], [root]))).to.equal('UNSUPPORTED_CONSTRAINT_TYPE');
  });

  it('has the period in which all its certificates are valid, one for each path', () => {
    const brief = authority(undefined, { days: 2 });
    const renewed = brief.renewed(next(), 9);
    const bot = client(brief, { days: 30 });
    const found = search(bot, [], [brief, renewed]);
    if ('problem' in found) throw new Error(found.problem);
    const ends = [brief, renewed].map((file) => Date.parse(read(file).x509.validTo));
    expect(found.periods.map(({ until }) => until)).to.deep.equal(ends);
    expect(found.periods[0]?.from).to.equal(Date.parse(read(bot).x509.validFrom));
  });

  it('exists for no certificate with any byte changed', () => {
    const { raw } = read(client(root)).x509;
    const authorities = [read(root)];
    for (let at = 0; at < raw.length; at += 1) {
      for (const bit of [0x01, 0x20, 0x80]) {
        const changed = Buffer.from(raw);
        changed.writeUInt8(changed.readUInt8(at) ^ bit, at);
        const certificate = readCertificate(changed);
        if (certificate === null) continue;
        const problem = problemOf(findPaths(certificate, { intermediates: [], authorities }));
        expect(problem, `bit ${bit} of byte ${at}`).to.be.a('string');
      }
    }
  });

  it('is searched in bounded time among certificates that issued each other', () => {
    const loop = Array.from(
      { length: 8 },
      () => new Authority(mkdtempSync(join(folder, 'loop-')), 'loop', undefined, { hasKeyId: false }),
    );
    const bot = client(new Authority(mkdtempSync(join(folder, 'loop-')), 'loop'));
    // Without a bound, all 109,600 orders of them.
    expect(problemOf(search(bot, loop, [root]))).to.equal('UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
  });
});

describe('readCertificate', () => {
  it('reads exactly one certificate in DER', () => {
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-der-'));
    try {
      const one = new Authority(folder, 'one');
      const { raw } = new X509Certificate(pem(one));
      expect(readCertificate(raw)?.x509.subject).to.equal('CN=one');
      expect(readCertificate(Buffer.from(pem(one)))).to.equal(null);
      expect(readCertificate(Buffer.concat([raw, Buffer.alloc(1)]))).to.equal(null);
      expect(readCertificate(Buffer.concat([raw, raw]))).to.equal(null);
      for (let end = 0; end < raw.length; end += 7) expect(readCertificate(raw.subarray(0, end))).to.equal(null);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('rejects a repeated extension, of which Node would show none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-der-'));
    try {
      const other = new Authority(folder, 'one').issue('other', {
        name: '/CN=x',
        extensions: ['2.5.29.99=ASN1:UTF8String:x'],
      });
      const { raw } = new X509Certificate(pem(other));
      expect(readCertificate(raw)).to.not.equal(null);
      const [unknown, use] = ['0603551d63', '0603551d25'].map((id) => Buffer.from(id, 'hex')) as [Buffer, Buffer];
      use.copy(raw, raw.indexOf(unknown));
      expect(new X509Certificate(raw).keyUsage).to.equal(undefined);
      expect(readCertificate(raw)).to.equal(null);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
