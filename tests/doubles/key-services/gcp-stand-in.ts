import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type ReceivedCall, ServiceStandIn, type StandInResponse } from './service-stand-in.ts';

/** Name of the stand-in's key. */
export const GCP_KEY = 'projects/p-1/locations/europe-west1/keyRings/signing/cryptoKeys/master';

/**
 * Google Cloud KMS with one key, and the metadata server, as their documentation describes them:
 * https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys
 */
export class GcpStandIn {
  token = 'ya29.stand-in';
  isDisabled = false;
  isDenied = false;
  readonly #key = randomBytes(32);

  start(): Promise<ServiceStandIn> {
    return ServiceStandIn.start((call) => this.#respond(call));
  }

  #respond({ method, path, headers, body }: ReceivedCall): StandInResponse {
    if (path === '/computeMetadata/v1/instance/service-accounts/default/token') {
      if (method !== 'GET' || headers['metadata-flavor'] !== 'Google') return { status: 403, body: '' };
      return { status: 200, body: { access_token: this.token, expires_in: 3599, token_type: 'Bearer' } };
    }
    if (headers.authorization !== `Bearer ${this.token}`) return failure(401, 'UNAUTHENTICATED');
    if (this.isDenied) return failure(403, 'PERMISSION_DENIED');
    if (this.isDisabled) return failure(400, 'FAILED_PRECONDITION');
    const fields = JSON.parse(body.toString());
    const aad = Buffer.from(fields.additionalAuthenticatedData ?? '', 'base64');
    if (path === `/v1/${GCP_KEY}:encrypt`) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(aad);
      const sealed = [
        nonce,
        cipher.update(Buffer.from(fields.plaintext, 'base64')),
        cipher.final(),
        cipher.getAuthTag(),
      ];
      return { status: 200, body: { name: GCP_KEY, ciphertext: Buffer.concat(sealed).toString('base64') } };
    }
    if (path !== `/v1/${GCP_KEY}:decrypt`) return failure(404, 'NOT_FOUND');
    const sealed = Buffer.from(fields.ciphertext, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12)).setAAD(aad);
    try {
      decipher.setAuthTag(sealed.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      return {
        status: 200,
        body: { plaintext: plaintext.toString('base64'), plaintextCrc32c: '1', usedPrimary: true },
      };
    } catch {
      return failure(400, 'INVALID_ARGUMENT');
    }
  }
}

function failure(code: number, status: string): StandInResponse {
  return { status: code, body: { error: { code, message: 'refused', status } } };
}
