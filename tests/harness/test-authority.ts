import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Content of a client certificate. */
export interface Subject {
  /** In OpenSSL form: `/CN=bot-1`. */
  readonly name: string;
  /** In OpenSSL form: `URI:spiffe://desk/bot-1,DNS:bot-1`. */
  readonly alternativeNames?: string;
  /** Default: `clientAuth`; null: any. */
  readonly use?: string | null;
  /** Validity in days. */
  readonly days?: number;
  /** Further extensions in OpenSSL form: `keyUsage=critical,keyEncipherment`. */
  readonly extensions?: readonly string[];
  /** OpenSSL options of the new key. */
  readonly key?: readonly string[];
}

/** Content of an authority certificate. */
export interface AuthoritySubject {
  /** Validity in days. */
  readonly days?: number;
  /** Whether it has a subject key identifier (RFC 5280 §4.2.1.2). */
  readonly hasKeyId?: boolean;
  /** Basic constraints in OpenSSL form. */
  readonly constraints?: string;
  /** Further extensions in OpenSSL form. */
  readonly extensions?: readonly string[];
}

/** A certificate authority in a folder. */
export class Authority implements TlsFileNames {
  readonly certFile: string;
  readonly keyFile: string;
  readonly #folder: string;
  readonly #name: string;
  readonly #issued = new Map<string, TlsFileNames>();

  /** @param by the issuer; default: self-signed */
  constructor(folder: string, name: string, by?: Authority, subject: AuthoritySubject = {}) {
    const { days = 30, hasKeyId = true, constraints = 'critical,CA:TRUE', extensions = [] } = subject;
    this.#folder = folder;
    this.#name = name;
    this.certFile = join(folder, `${name}.crt`);
    this.keyFile = join(folder, `${name}.key`);
    const what = ['-subj', `/CN=${name}`, '-days', String(days)];
    const more = [`basicConstraints=${constraints}`, ...extensions].flatMap((one) => ['-addext', one]);
    const keyId = hasKeyId ? [] : ['-addext', 'subjectKeyIdentifier=none', '-addext', 'authorityKeyIdentifier=none'];
    req([...NEW_KEY, ...issuedBy(by), ...what, ...more, ...keyId, '-keyout', this.keyFile, '-out', this.certFile]);
  }

  /**
   * Renews the certificate with the same key: `<file>.crt`.
   * @param by the issuer; default: self-signed
   */
  renewed(file: string, days: number, by?: Authority): Pick<TlsFileNames, 'certFile'> {
    const certFile = join(this.#folder, `${file}.crt`);
    const what = ['-addext', 'basicConstraints=critical,CA:TRUE', '-subj', `/CN=${this.#name}`, '-days', String(days)];
    req(['-key', this.keyFile, ...issuedBy(by), ...what, '-out', certFile]);
    return { certFile };
  }

  /** Creates a key and certificate, once: `<file>.crt` and `<file>.key`. */
  issue(file: string, subject: Subject): TlsFileNames {
    const wanted = JSON.stringify([file, subject]);
    const issued = this.#issued.get(wanted) ?? this.#create(file, subject);
    this.#issued.set(wanted, issued);
    return issued;
  }

  #create(file: string, subject: Subject): TlsFileNames {
    const { name, alternativeNames, use = 'clientAuth', days = 30 } = subject;
    const { extensions = [], key = NEW_KEY } = subject;
    const certFile = join(this.#folder, `${file}.crt`);
    const keyFile = join(this.#folder, `${file}.key`);
    const names = alternativeNames === undefined ? [] : ['-addext', `subjectAltName=${alternativeNames}`];
    const uses = use === null ? [] : ['-addext', `extendedKeyUsage=${use}`];
    const more = extensions.flatMap((one) => ['-addext', one]);
    const what = ['-subj', name, '-addext', 'basicConstraints=CA:FALSE', '-days', String(days)];
    req([...key, ...issuedBy(this), ...what, ...names, ...uses, ...more, '-keyout', keyFile, '-out', certFile]);
    return { certFile, keyFile };
  }

  /** Issues a certificate for a key that expired yesterday: `<file>.crt`. */
  issueExpired(file: string, name: string, { keyFile }: Pick<TlsFileNames, 'keyFile'>): TlsFileNames {
    const certFile = join(this.#folder, `${file}.crt`);
    const input = execFileSync('openssl', ['req', '-new', '-key', keyFile, '-subj', name], { stdio: 'pipe' });
    const what = ['x509', '-req', ...issuedBy(this), '-days', '-1', '-out', certFile];
    execFileSync('openssl', what, { stdio: 'pipe', input });
    return { certFile, keyFile };
  }
}

/** Two authorities, and a certificate of the first, `bot-1`. */
export interface Authorities {
  readonly authority: Authority;
  readonly another: Authority;
  readonly bot: TlsFileNames;
}

let shared: Authorities | undefined;

/** The same in all tests of this process, since OpenSSL takes long. */
export function sharedAuthorities(): Authorities {
  if (shared !== undefined) return shared;
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-authorities-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const authority = new Authority(folder, 'authority');
  const bot = authority.issue('bot', { name: '/CN=bot-1' });
  shared = { authority, another: new Authority(mkdtempSync(join(folder, 'another-')), 'another'), bot };
  return shared;
}

/** A certificate as a byte sequence (RFC 9440 §2.1). */
export function byteSequenceOf({ certFile }: Pick<TlsFileNames, 'certFile'>): string {
  return `:${new X509Certificate(readFileSync(certFile)).raw.toString('base64')}:`;
}

/** A certificate as nginx writes it to `$ssl_client_escaped_cert`. */
export function escapedPemOf({ certFile }: Pick<TlsFileNames, 'certFile'>): string {
  return encodeURIComponent(readFileSync(certFile, 'latin1'));
}

function issuedBy(authority: Authority | undefined): readonly string[] {
  return authority === undefined ? [] : ['-CA', authority.certFile, '-CAkey', authority.keyFile];
}

function req(options: readonly string[]): void {
  execFileSync('openssl', ['req', '-x509', ...options], { stdio: 'pipe' });
}
