import { spawnSync } from 'node:child_process';
import { sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientVerifier } from '../../../../../src/adapters/http/tls/client-verifier.ts';
import { readCertificate } from '../../../../../src/adapters/http/tls/forwarded-certificate.ts';
import type { TlsFileNames } from '../../../../../src/adapters/http/tls/tls-files.ts';
import { Authority, type AuthoritySubject, type Subject } from '../../../../harness/test-authority.ts';

type CertFile = Pick<TlsFileNames, 'certFile'>;

const DAY_MS = 24 * 60 * 60 * 1000;

const pem = ({ certFile }: CertFile) => readFileSync(certFile, 'latin1');
const read = (file: CertFile) => new X509Certificate(pem(file));

function problemOf(client: X509Certificate, authorities: readonly CertFile[], now = Date.now()): string | null {
  return clientVerifier(authorities.map(read))(client, now);
}

/** Replaces the ECDSA signature of a certificate in DER by one of the same length. */
function signAgain(der: Buffer, { keyFile }: TlsFileNames): void {
  // Two headers of four bytes; the algorithm has 12 bytes, the header of the signature 3.
  const end = 8 + der.readUInt16BE(6);
  const old = der.subarray(end + 15);
  let signature: Buffer;
  do signature = sign('sha256', der.subarray(4, end), readFileSync(keyFile));
  while (signature.length !== old.length);
  signature.copy(old);
}

describe('A client certificate without a handshake', () => {
  let folder: string;
  let root: Authority;
  let count = 0;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-issuers-'));
    root = new Authority(folder, 'root');
  });
  after(() => rmSync(folder, { recursive: true }));

  const next = () => {
    count += 1;
    return `certificate-${count}`;
  };
  const authority = (by?: Authority, subject: AuthoritySubject = {}) => new Authority(folder, next(), by, subject);
  const client = (by: Authority, subject: Partial<Subject> = {}) => by.issue(next(), { name: '/CN=bot-1', ...subject });
  const sameName = () => new Authority(mkdtempSync(join(folder, 'same-')), 'root', undefined, { hasKeyId: false });

  /** Results of OpenSSL for the same certificates, as those of TLS clients. */
  function isAcceptedByOpenssl(one: CertFile, authorities: readonly CertFile[], now: number): boolean {
    const trusted = join(folder, 'trusted.pem');
    writeFileSync(trusted, authorities.map(pem).join(''));
    const options = ['-purpose', 'sslclient', '-auth_level', '2', '-attime', String(Math.floor(now / 1000))];
    const only = ['-no-CApath', '-no-CAstore', '-CAfile', trusted];
    return spawnSync('openssl', ['verify', ...options, ...only, one.certFile]).status === 0;
  }

  /** Compares both. */
  function expectProblem(
    problem: string | null,
    one: CertFile,
    authorities: readonly CertFile[],
    now = Date.now(),
  ): void {
    expect(problemOf(read(one), authorities, now)).to.equal(problem);
    expect(isAcceptedByOpenssl(one, authorities, now)).to.equal(problem === null);
  }

  it('is issued by an authority in the file, below others in the file up to a root', () => {
    const middle = authority(root);
    const low = authority(middle);
    expectProblem(null, client(root), [root]);
    expectProblem(null, client(low), [root, middle, low]);
    expectProblem('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(low), [middle, root]);
    expectProblem('UNABLE_TO_GET_ISSUER_CERT', client(low), [low, root]);
    expectProblem('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(root), [authority()]);
  });

  it('has a signature by the key of the authority, not only its name', () => {
    const same = sameName();
    const bot = client(root);
    expect(read(bot).checkIssued(read(same))).to.equal(true);
    expectProblem('CERT_SIGNATURE_FAILURE', bot, [same]);
    expect(problemOf(read(bot), [same, root])).to.equal(null);
    const middle = authority(root);
    expectProblem('UNABLE_TO_GET_ISSUER_CERT', client(middle), [middle, same]);
  });

  it('is for TLS clients, or for any use', () => {
    expectProblem('INVALID_PURPOSE', client(root, { use: 'anyExtendedKeyUsage' }), [root]);
    expectProblem(null, client(root, { use: 'serverAuth,clientAuth' }), [root]);
    expectProblem(null, client(root, { use: null }), [root]);
  });

  it('has issuers that are authorities, for TLS clients or for any use', () => {
    const bot = authority(root, { constraints: 'CA:FALSE' });
    expectProblem('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(bot), [bot, root]);
    const unsigning = authority(root, { extensions: ['keyUsage=critical,digitalSignature'] });
    expectProblem('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(unsigning), [unsigning, root]);
    const servers = authority(root, { extensions: ['extendedKeyUsage=serverAuth'] });
    expectProblem('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', client(servers), [servers, root]);
    const clients = authority(root, { extensions: ['extendedKeyUsage=clientAuth'] });
    expectProblem(null, client(clients), [clients, root]);
  });

  it('is not accepted with two extended key usages, of which Node shows none', () => {
    const bot = client(root, { use: 'serverAuth', extensions: ['2.5.29.99=DER:300a06082b06010505070302'] });
    const { raw } = read(bot);
    const [unknown, use] = ['0603551d63', '0603551d25'].map((id) => Buffer.from(id, 'hex')) as [Buffer, Buffer];
    use.copy(raw, raw.indexOf(unknown));
    signAgain(raw, root);
    const changed = new X509Certificate(raw);
    expect([changed.keyUsage, changed.verify(read(root).publicKey)]).to.deep.equal([undefined, true]);
    expect(problemOf(changed, [root])).to.equal('UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
  });

  it('has an RSA key of at least 2048 bits', () => {
    const key = (bits: number) => ['-newkey', `rsa:${bits}`, '-nodes'];
    expectProblem('EE_KEY_TOO_SMALL', client(root, { key: key(1024) }), [root]);
    expectProblem(null, client(root, { key: key(2048) }), [root]);
  });

  it('is valid only while it and its issuers are', () => {
    const now = Date.now();
    const bot = client(root, { days: 2 });
    expectProblem(null, bot, [root], now + DAY_MS);
    expectProblem('CERT_HAS_EXPIRED', bot, [root], now + 3 * DAY_MS);
    expectProblem('CERT_NOT_YET_VALID', bot, [root], now - DAY_MS);
    const brief = authority(root, { days: 2 });
    const lasting = client(brief);
    expectProblem(null, lasting, [brief, root], now + DAY_MS);
    expectProblem('CERT_HAS_EXPIRED', lasting, [brief, root], now + 3 * DAY_MS);
    const ended = authority(undefined, { days: 2 });
    expectProblem('CERT_HAS_EXPIRED', client(ended), [ended], now + 3 * DAY_MS);
  });

  it('stays valid by a renewed certificate of its authority', () => {
    const brief = authority(undefined, { days: 2 });
    const renewed = brief.renewed(next(), 9);
    const bot = client(brief);
    expectProblem(null, bot, [brief, renewed], Date.now() + 5 * DAY_MS);
    expectProblem(null, bot, [renewed, brief], Date.now() + 5 * DAY_MS);
    expectProblem('CERT_HAS_EXPIRED', bot, [brief, renewed], Date.now() + 10 * DAY_MS);
  });

  it('is not accepted below authorities that only issued each other', () => {
    const [one, other] = [authority(), authority()];
    const loop = [one.renewed(next(), 9, other), other.renewed(next(), 9, one)];
    const bot = client(one);
    expectProblem('UNABLE_TO_GET_ISSUER_CERT', bot, loop);
    expect(problemOf(read(bot), [...loop, other])).to.equal(null);
  });

  it('is not accepted with any byte changed', () => {
    const { raw } = read(client(root));
    const verify = clientVerifier([read(root)]);
    let checked = 0;
    for (let at = 0; at < raw.length; at += 1) {
      const changed = Buffer.from(raw);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const certificate = readCertificate(changed);
      if (certificate === null) continue;
      expect(verify(certificate, Date.now()), `byte ${at}`).to.be.a('string');
      checked += 1;
    }
    expect(checked).to.be.greaterThan(raw.length / 3);
  });
});
