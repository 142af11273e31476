import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type ReceivedCall, ServiceStandIn, type StandInOptions, type StandInResponse } from './service-stand-in.ts';

/**
 * Vault's Transit engine at `transit`, with one key `signing-service` of type aes256-gcm96, as its
 * API documentation describes it: https://developer.hashicorp.com/vault/api-docs/secret/transit
 */
export class VaultStandIn {
  token = 'hvs.stand-in-token';
  namespace: string | undefined;
  isSealed = false;
  /** Token of the service account that may log in as role `signing`. */
  readonly jwt = 'eyJhbGciOiJub25lIn0.e30.c2ln';
  /** Secret ID of the AppRole `signing`. */
  readonly secretId = '6a174c20-f6de-a53c-74d2-6018fcceff64';
  readonly #key = randomBytes(32);

  start(options: StandInOptions = {}): Promise<ServiceStandIn> {
    return ServiceStandIn.start((call) => this.#respond(call), options);
  }

  #respond({ method, path, headers, body }: ReceivedCall): StandInResponse {
    if (this.isSealed) return failure(503, 'Vault is sealed');
    if (method !== 'POST') return failure(405, 'unsupported operation');
    const fields = JSON.parse(body.toString());
    if (path === '/v1/auth/kubernetes/login') {
      if (fields.role !== 'signing' || fields.jwt !== this.jwt) return failure(403, 'permission denied');
      return { status: 200, body: { auth: { client_token: this.token, policies: ['default'] }, data: null } };
    }
    if (path === '/v1/auth/approle/login') {
      if (fields.role_id !== 'signing' || fields.secret_id !== this.secretId) return failure(400, 'invalid secret id');
      return { status: 200, body: { auth: { client_token: this.token, policies: ['default'] }, data: null } };
    }
    if (headers['x-vault-token'] !== this.token || headers['x-vault-namespace'] !== this.namespace) {
      return failure(403, 'permission denied');
    }
    const aad = Buffer.from(fields.associated_data ?? '', 'base64');
    if (path === '/v1/transit/encrypt/signing-service') {
      return success({ ciphertext: this.#encrypt(Buffer.from(fields.plaintext, 'base64'), aad), key_version: 1 });
    }
    if (path !== '/v1/transit/decrypt/signing-service') return failure(404, 'no handler for route');
    try {
      return success({ plaintext: this.#decrypt(fields.ciphertext, aad).toString('base64') });
    } catch {
      return failure(400, 'cipher: message authentication failed');
    }
  }

  #encrypt(plaintext: Buffer, aad: Buffer): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(aad);
    const sealed = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    return `vault:v1:${sealed.toString('base64')}`;
  }

  #decrypt(ciphertext: string, aad: Buffer): Buffer {
    const sealed = Buffer.from(ciphertext.replace(/^vault:v1:/, ''), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12)).setAAD(aad);
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  }
}

/** As Vault sends it, with members around the data; chunked, as by a proxy. */
function success(data: object): StandInResponse {
  const body = { request_id: 'b1b2', lease_id: '', renewable: false, wrap_info: null, warnings: ['{"a'], data };
  return { status: 200, body, chunkBytes: 50 };
}

function failure(status: number, error: string): StandInResponse {
  return { status, body: { errors: [error] } };
}
