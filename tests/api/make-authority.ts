import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TlsFileNames } from '../../src/adapters/driving/http/tls/tls-files.ts';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** What a certificate says. */
export interface Subject {
  /** As OpenSSL takes it: `/CN=bot-1`. */
  readonly name: string;
  /** As OpenSSL takes it: `URI:spiffe://desk/bot-1,DNS:bot-1`. */
  readonly alternativeNames?: string;
  /** `clientAuth` unless something else is given. */
  readonly use?: string;
  /** In days from now; in the past when it is negative. */
  readonly days?: number;
}

/** What the certificate of an authority says. */
export interface AuthoritySubject {
  /** In days from now. */
  readonly days?: number;
  /** Whether its key has an identifier (RFC 5280 §4.2.1.2), which those that it issues name. */
  readonly hasKeyId?: boolean;
}

/** A certificate authority of clients, in a folder. */
export class Authority implements TlsFileNames {
  readonly certFile: string;
  readonly keyFile: string;
  readonly #folder: string;
  readonly #name: string;

  /** @param by the authority that issues the new one; by itself where there is none */
  constructor(folder: string, name: string, by?: Authority, { days = 30, hasKeyId = true }: AuthoritySubject = {}) {
    this.#folder = folder;
    this.#name = name;
    this.certFile = join(folder, `${name}.crt`);
    this.keyFile = join(folder, `${name}.key`);
    const what = ['-addext', 'basicConstraints=critical,CA:TRUE', '-subj', `/CN=${name}`, '-days', String(days)];
    const keyId = hasKeyId ? [] : ['-addext', 'subjectKeyIdentifier=none', '-addext', 'authorityKeyIdentifier=none'];
    req([...NEW_KEY, ...issuedBy(by), ...what, ...keyId, '-keyout', this.keyFile, '-out', this.certFile]);
  }

  /** Makes another certificate of the authority, by itself and with the same key: `<file>.crt`. */
  renewed(file: string, days: number): Pick<TlsFileNames, 'certFile'> {
    const certFile = join(this.#folder, `${file}.crt`);
    const what = ['-addext', 'basicConstraints=critical,CA:TRUE', '-subj', `/CN=${this.#name}`, '-days', String(days)];
    req(['-key', this.keyFile, ...what, '-out', certFile]);
    return { certFile };
  }

  /** Makes a key and a certificate for it: `<file>.crt` and `<file>.key`. */
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
