import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TlsFileNames } from '../../../src/adapters/http/tls/tls-files.ts';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Content of a client certificate. */
export interface Subject {
  /** In OpenSSL form: `/CN=bot-1`. */
  readonly name: string;
  /** In OpenSSL form: `URI:spiffe://desk/bot-1,DNS:bot-1`. */
  readonly alternativeNames?: string;
  /** Default: `clientAuth`. */
  readonly use?: string;
  /** Validity in days, negative for the past. */
  readonly days?: number;
}

/** Content of an authority certificate. */
export interface AuthoritySubject {
  /** Validity in days. */
  readonly days?: number;
  /** Whether it has a subject key identifier (RFC 5280 §4.2.1.2). */
  readonly hasKeyId?: boolean;
}

/** A certificate authority in a folder. */
export class Authority implements TlsFileNames {
  readonly certFile: string;
  readonly keyFile: string;
  readonly #folder: string;
  readonly #name: string;

  /** @param by the issuer; default: self-signed */
  constructor(folder: string, name: string, by?: Authority, { days = 30, hasKeyId = true }: AuthoritySubject = {}) {
    this.#folder = folder;
    this.#name = name;
    this.certFile = join(folder, `${name}.crt`);
    this.keyFile = join(folder, `${name}.key`);
    const what = ['-addext', 'basicConstraints=critical,CA:TRUE', '-subj', `/CN=${name}`, '-days', String(days)];
    const keyId = hasKeyId ? [] : ['-addext', 'subjectKeyIdentifier=none', '-addext', 'authorityKeyIdentifier=none'];
    req([...NEW_KEY, ...issuedBy(by), ...what, ...keyId, '-keyout', this.keyFile, '-out', this.certFile]);
  }

  /** Renews the certificate with the same key: `<file>.crt`. */
  renewed(file: string, days: number): Pick<TlsFileNames, 'certFile'> {
    const certFile = join(this.#folder, `${file}.crt`);
    const what = ['-addext', 'basicConstraints=critical,CA:TRUE', '-subj', `/CN=${this.#name}`, '-days', String(days)];
    req(['-key', this.keyFile, ...what, '-out', certFile]);
    return { certFile };
  }

  /** Creates a key and certificate: `<file>.crt` and `<file>.key`. */
  issue(file: string, { name, alternativeNames, use = 'clientAuth', days = 30 }: Subject): TlsFileNames {
    const certFile = join(this.#folder, `${file}.crt`);
    const keyFile = join(this.#folder, `${file}.key`);
    const names = alternativeNames === undefined ? [] : ['-addext', `subjectAltName=${alternativeNames}`];
    const uses = ['-addext', `extendedKeyUsage=${use}`, '-addext', 'basicConstraints=CA:FALSE'];
    const what = ['-subj', name, ...names, ...uses, '-days', String(days)];
    req([...NEW_KEY, ...issuedBy(this), ...what, '-keyout', keyFile, '-out', certFile]);
    return { certFile, keyFile };
  }
}

function issuedBy(authority: Authority | undefined): readonly string[] {
  return authority === undefined ? [] : ['-CA', authority.certFile, '-CAkey', authority.keyFile];
}

function req(options: readonly string[]): void {
  execFileSync('openssl', ['req', '-x509', ...options], { stdio: 'pipe' });
}
