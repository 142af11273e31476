import type { LendSecret, WrappingKey } from '../../../ports/wrapping-key.ts';
import type { HttpResponse } from './http-response.ts';
import { findJsonString, hasJsonString } from './json-strings.ts';
import { withDecodedSecret, withSecretJson } from './secret-json.ts';
import { readTokenFile } from './secret-token-file.ts';
import { ServiceClient } from './service-client.ts';

/** Where Google Cloud KMS is, and how to authenticate. */
export interface GcpSettings {
  readonly endpoint: URL;
  /** File with an OAuth 2.0 access token; null: the metadata server. */
  readonly tokenFile: string | null;
  /** Of Compute Engine, Kubernetes Engine and Cloud Run. */
  readonly metadataServer: URL;
  readonly timeoutMs: number;
  readonly caFile: string | null;
}

const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';

/**
 * A symmetric key of Google Cloud KMS (REST API v1, cryptoKeys.encrypt and decrypt). The master
 * key's id is additional authenticated data. The CRC32C fields are not used: the id authenticates
 * the plaintext, and a new envelope is opened before it is written.
 */
export class GcpKmsKey implements WrappingKey {
  readonly #name: string;
  readonly #settings: GcpSettings;
  readonly #client: ServiceClient;
  readonly #metadata: ServiceClient;

  /** @param name `projects/…/locations/…/keyRings/…/cryptoKeys/…` */
  constructor(name: string, settings: GcpSettings) {
    this.#name = name;
    this.#settings = settings;
    const { timeoutMs, caFile } = settings;
    const addressAdvice = 'check SIGNING_GCP_KMS_ENDPOINT and the network';
    this.#client = new ServiceClient({ label: 'Google Cloud KMS', addressAdvice, timeoutMs, caFile });
    this.#metadata = new ServiceClient({
      ...{ label: 'Google metadata server', timeoutMs, caFile },
      addressAdvice: 'outside Google Cloud, set SIGNING_GCP_TOKEN_FILE',
    });
  }

  async wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array> {
    const fields = { additionalAuthenticatedData: authenticatedData(masterKeyId) };
    return withSecretJson(fields, 'plaintext', lend, (body) =>
      this.#send('encrypt', body, (json) => Buffer.from(findJsonString(json, 'ciphertext').toString(), 'base64')),
    );
  }

  async unwrap<Result>(
    masterKeyId: string,
    ciphertext: Uint8Array,
    use: (masterKey: Uint8Array) => Result,
  ): Promise<Result> {
    const additionalAuthenticatedData = authenticatedData(masterKeyId);
    const fields = { ciphertext: Buffer.from(ciphertext).toString('base64'), additionalAuthenticatedData };
    return this.#send('decrypt', Buffer.from(JSON.stringify(fields)), (json) =>
      withDecodedSecret(findJsonString(json, 'plaintext'), use),
    );
  }

  async #send<Result>(operation: 'encrypt' | 'decrypt', body: Buffer, use: (json: Buffer) => Result): Promise<Result> {
    const url = new URL(`/v1/${this.#name}:${operation}`, this.#settings.endpoint);
    const token = await this.#token();
    const authorization = Buffer.concat([Buffer.from('Bearer '), token]);
    try {
      const headers = [
        ['Content-Type', 'application/json'],
        ['Authorization', authorization],
      ] as const;
      return await this.#client.call({ method: 'POST', url, headers, body }, (response) => {
        if (response.status !== 200) throw this.#refusal(url, operation, response);
        return use(response.body);
      });
    } finally {
      token.fill(0);
      authorization.fill(0);
    }
  }

  /** A token, which the caller wipes. */
  async #token(): Promise<Buffer> {
    const { tokenFile, metadataServer } = this.#settings;
    if (tokenFile !== null) return readTokenFile('SIGNING_GCP_TOKEN_FILE', tokenFile);
    const url = new URL(TOKEN_PATH, metadataServer);
    const headers = [['Metadata-Flavor', 'Google']] as const;
    return this.#metadata.call({ method: 'GET', url, headers }, ({ status, body }) => {
      if (status === 200) return Buffer.from(findJsonString(body, 'access_token'));
      throw this.#metadata.failure(url, `no access token (${status}); attach a service account to this machine`);
    });
  }

  #refusal(url: URL, operation: string, { status, body }: HttpResponse): Error {
    const texts: { readonly [status: number]: string } = {
      400: `it rejected the ciphertext, or ${this.#name} is disabled; enable the key, or restore the master key file`,
      401: 'the access token is expired or invalid; renew it (SIGNING_GCP_TOKEN_FILE)',
      403: `permission denied for ${operation} with ${this.#name}; grant cloudkms.cryptoKeyVersions.useTo${operation === 'decrypt' ? 'Decrypt' : 'Encrypt'}`,
      404: `there is no key ${this.#name}; check the wrapping key's name`,
    };
    return this.#client.failure(
      url,
      `${texts[status] ?? `unexpected status ${status}; try again later`}${quoteStatus(body)}`,
    );
  }
}

function authenticatedData(masterKeyId: string): string {
  return Buffer.from(`signing-service/master-key/v1/${masterKeyId}`).toString('base64');
}

/** Google's `error.status`, such as FAILED_PRECONDITION. */
function quoteStatus(body: Buffer): string {
  if (!hasJsonString(body, 'error', 'status')) return '';
  const code = findJsonString(body, 'error', 'status').toString('latin1');
  return /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : '';
}
