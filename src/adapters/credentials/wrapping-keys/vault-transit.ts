import type { LendSecret, WrappingKey } from '../../../ports/wrapping-key.ts';
import type { HttpResponse } from './http-response.ts';
import { findJsonString } from './json-strings.ts';
import { withDecodedSecret, withSecretJson } from './secret-json.ts';
import { readTokenFile } from './secret-token-file.ts';
import type { ServiceCall } from './service-call.ts';
import { ServiceClient } from './service-client.ts';

/** Where Vault or OpenBao is, and how to authenticate. */
export interface VaultSettings {
  readonly address: URL;
  /** Null: none. */
  readonly namespace: string | null;
  readonly login:
    | { readonly tokenFile: string }
    /** Kubernetes auth: mount, role, and file of the service account's token. */
    | { readonly mount: string; readonly role: string; readonly jwtFile: string };
  readonly timeoutMs: number;
  readonly caFile: string | null;
}

/**
 * A key of the Transit secrets engine of HashiCorp Vault or OpenBao. The master key's id is
 * associated data, which needs a key of type aes256-gcm96 (the default), aes128-gcm96 or
 * chacha20-poly1305.
 */
export class VaultTransitKey implements WrappingKey {
  readonly #settings: VaultSettings;
  readonly #client: ServiceClient;
  readonly #mount: string;
  readonly #key: string;

  /** @param name `<mount>/<key>` */
  constructor(name: string, settings: VaultSettings) {
    const slash = name.lastIndexOf('/');
    this.#mount = name.slice(0, slash);
    this.#key = name.slice(slash + 1);
    this.#settings = settings;
    const { timeoutMs, caFile } = settings;
    const addressAdvice = 'check SIGNING_VAULT_ADDRESS and the network';
    this.#client = new ServiceClient({ label: 'Vault', addressAdvice, timeoutMs, caFile });
  }

  async wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array> {
    const fields = { associated_data: associatedData(masterKeyId) };
    return withSecretJson(fields, 'plaintext', lend, (body) =>
      this.#send('encrypt', body, (json) => Buffer.from(findJsonString(json, 'data', 'ciphertext'))),
    );
  }

  async unwrap<Result>(
    masterKeyId: string,
    ciphertext: Uint8Array,
    use: (masterKey: Uint8Array) => Result,
  ): Promise<Result> {
    const fields = { ciphertext: Buffer.from(ciphertext).toString(), associated_data: associatedData(masterKeyId) };
    return this.#send('decrypt', Buffer.from(JSON.stringify(fields)), (json) =>
      withDecodedSecret(findJsonString(json, 'data', 'plaintext'), use),
    );
  }

  async #send<Result>(operation: 'encrypt' | 'decrypt', body: Buffer, use: (json: Buffer) => Result): Promise<Result> {
    const url = this.#urlOf(`${this.#mount}/${operation}/${this.#key}`);
    const token = await this.#token();
    try {
      return await this.#client.call(this.#request(url, body, [['X-Vault-Token', token]]), (response) => {
        if (response.status !== 200) throw this.#refusal(url, operation, response);
        return use(response.body);
      });
    } finally {
      token.fill(0);
    }
  }

  /** A token, which the caller wipes. */
  async #token(): Promise<Buffer> {
    const { login } = this.#settings;
    if ('tokenFile' in login) return readTokenFile('SIGNING_VAULT_TOKEN_FILE', login.tokenFile);
    const url = this.#urlOf(`auth/${login.mount}/login`);
    const jwt = readTokenFile('SIGNING_VAULT_KUBERNETES_ROLE', login.jwtFile, 'kubelet');
    const start = Buffer.from(`{"role":${JSON.stringify(login.role)},"jwt":"`);
    const body = Buffer.concat([start, jwt, Buffer.from('"}')]);
    try {
      return await this.#client.call(this.#request(url, body, []), ({ status, body: json }) => {
        if (status === 200) return Buffer.from(findJsonString(json, 'auth', 'client_token'));
        const advice = 'check the role, its bound service account and SIGNING_VAULT_KUBERNETES_MOUNT';
        throw this.#client.failure(url, `Kubernetes login as role ${login.role} was refused (${status}); ${advice}`);
      });
    } finally {
      jwt.fill(0);
      body.fill(0);
    }
  }

  #urlOf(path: string): URL {
    const { address } = this.#settings;
    return new URL(`${address.pathname.replace(/\/$/, '')}/v1/${path}`, address);
  }

  #request(url: URL, body: Buffer, headers: ServiceCall['headers']): ServiceCall {
    const { namespace } = this.#settings;
    const common = [
      ['Content-Type', 'application/json'],
      ['X-Vault-Request', 'true'],
      ...(namespace === null ? [] : [['X-Vault-Namespace', namespace] as const]),
    ] as const;
    return { method: 'POST', url, headers: [...common, ...headers], body };
  }

  #refusal(url: URL, operation: 'encrypt' | 'decrypt', { status, body }: HttpResponse): Error {
    const key = `${this.#mount}/${this.#key}`;
    const texts: { readonly [status: number]: string } = {
      400:
        operation === 'encrypt'
          ? `it cannot encrypt with the key ${key}${quoteErrors(body)}; use one of type aes256-gcm96, aes128-gcm96 or chacha20-poly1305, without derivation`
          : `it cannot decrypt with the key ${key}${quoteErrors(body)}; check that it is the key that wrapped the master key, or restore the master key file`,
      403: `permission denied for ${operation} with ${key}; renew the token, or allow update on ${this.#mount}/${operation}/${this.#key} in its policy`,
      404: `there is no Transit engine at ${this.#mount}; check the wrapping key's name and SIGNING_VAULT_NAMESPACE`,
      503: 'it is sealed or in maintenance; unseal it, then start this again',
    };
    return this.#client.failure(url, texts[status] ?? `unexpected status ${status}${quoteErrors(body)}; see its log`);
  }
}

function associatedData(masterKeyId: string): string {
  return Buffer.from(`signing-service/master-key/v1/${masterKeyId}`).toString('base64');
}

/** Vault's `errors`, which hold no secrets, shortened. */
function quoteErrors(body: Buffer): string {
  try {
    const document: unknown = JSON.parse(body.toString());
    const errors = typeof document === 'object' && document !== null && 'errors' in document ? document.errors : null;
    const text = Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join('; ') : '';
    return text === '' ? '' : ` (${text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)})`;
  } catch {
    return '';
  }
}
