import { createCipheriv, createDecipheriv, createVerify, type KeyObject, randomBytes } from 'node:crypto';
import { type ReceivedCall, ServiceStandIn, type StandInOptions, type StandInResponse } from './service-stand-in.ts';

/** Name of the stand-in's key. */
export const GCP_KEY = 'projects/p-1/locations/europe-west1/keyRings/signing/cryptoKeys/master';

/**
 * Google Cloud KMS with one key, and what issues access tokens: the metadata server, the token
 * endpoints of OAuth 2.0 and of workload identity federation, as their documentation describes
 * them: https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys
 */
export class GcpStandIn {
  token = 'ya29.stand-in';
  isDisabled = false;
  isDenied = false;
  /** Verifies tokens that a service account signs itself; null: there is none. */
  serviceAccount: KeyObject | null = null;
  /** Of a user who logged in with gcloud, and of a workload elsewhere. */
  readonly refreshToken = '1//stand-in';
  readonly workloadToken = 'eyJhbGciOiJub25lIn0.e30.c2ln';
  readonly #key = randomBytes(32);

  start(options: StandInOptions = {}): Promise<ServiceStandIn> {
    return ServiceStandIn.start((call) => this.#respond(call), options);
  }

  #respond({ path: target, headers, body }: ReceivedCall): StandInResponse {
    const { pathname: path } = new URL(target, 'http://localhost');
    if (path.startsWith('/computeMetadata/')) {
      if (headers['metadata-flavor'] !== 'Google') return { status: 403, body: '' };
      const text = path.endsWith('/token') ? this.#accessToken() : { body: 'default' };
      return { status: 200, headers: { 'Metadata-Flavor': 'Google' }, ...text };
    }
    if (path === '/token' || path === '/v1/token') {
      const form = new URLSearchParams(body.toString());
      const isKnown = [form.get('refresh_token'), form.get('subject_token')].some(
        (token) => token === this.refreshToken || token === this.workloadToken,
      );
      return isKnown ? { status: 200, ...this.#accessToken() } : { status: 400, body: { error: 'invalid_grant' } };
    }
    if (!this.#isAuthenticated(String(headers.authorization))) return failure(401, 'UNAUTHENTICATED');
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

  #accessToken(): { readonly body: object } {
    return { body: { access_token: this.token, expires_in: 3599, token_type: 'Bearer' } };
  }

  #isAuthenticated(authorization: string): boolean {
    const token = authorization.replace(/^Bearer /, '');
    if (token === this.token) return true;
    const [header = '', claims = '', signature = ''] = token.split('.');
    if (this.serviceAccount === null) return false;
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    return verify.verify(this.serviceAccount, signature, 'base64url');
  }
}

/** As Google's APIs send it. */
export function failure(code: number, status: string): StandInResponse {
  return { status: code, body: { error: { code, message: 'refused', status } } };
}
