import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type ReceivedCall, ServiceStandIn, type StandInOptions, type StandInResponse } from './service-stand-in.ts';

/** Name of the stand-in's key. */
export const AWS_KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const ALIAS = 'alias/signing';

/**
 * AWS KMS with one key, and what issues credentials: the container endpoint, IMDSv2, STS and IAM
 * Identity Center (SSO), as their documentation describes them:
 * https://docs.aws.amazon.com/kms/latest/APIReference/
 */
export class AwsStandIn {
  readonly accessKeyId = 'AKIDEXAMPLE';
  readonly secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
  /** Null: long-term credentials. */
  sessionToken: string | null = 'IQoJb3JpZ2luX2VjE//stand-in==';
  /** Of the pod's service account. */
  readonly podToken = 'eyJhbGciOiJub25lIn0.e30.c2ln';
  /** Of a session that `aws sso login` began. */
  readonly ssoToken = 'aoaAAAAAGVhbmV4YW1wbGU';
  isDenied = false;
  hasRole = true;
  readonly #imdsToken = randomBytes(24).toString('base64');
  readonly #key = randomBytes(32);

  start(options: StandInOptions = {}): Promise<ServiceStandIn> {
    return ServiceStandIn.start((call) => this.#respond(call), options);
  }

  #respond(call: ReceivedCall): StandInResponse {
    const { method, path, headers } = call;
    if (path === '/latest/api/token') {
      const isCorrect = method === 'PUT' && headers['x-aws-ec2-metadata-token-ttl-seconds'] !== undefined;
      return isCorrect ? { status: 200, body: this.#imdsToken } : { status: 400, body: '' };
    }
    const roles = '/latest/meta-data/iam/security-credentials/';
    if (path.startsWith(roles)) {
      if (headers['x-aws-ec2-metadata-token'] !== this.#imdsToken) return { status: 401, body: '' };
      if (!this.hasRole) return { status: 404, body: '' };
      if (path === roles) return { status: 200, body: 'signing-role' };
      return path === `${roles}signing-role` ? this.#credentials() : { status: 404, body: '' };
    }
    if (path === '/v1/credentials') {
      return headers.authorization === this.podToken ? this.#credentials() : { status: 401, body: '' };
    }
    if (path.startsWith('/federation/credentials?')) return this.#roleCredentials(call);
    return String(headers['content-type']).startsWith('application/x-www-form-urlencoded')
      ? this.#assumeRole(call)
      : this.#useKey(call);
  }

  /**
   * https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
   */
  #roleCredentials({ headers }: ReceivedCall): StandInResponse {
    if (headers['x-amz-sso_bearer_token'] !== this.ssoToken) return { status: 401, body: { message: 'unauthorized' } };
    const { accessKeyId, secretAccessKey, sessionToken } = this;
    const roleCredentials = { accessKeyId, secretAccessKey, sessionToken, expiration: Date.now() + 3_600_000 };
    return { status: 200, body: { roleCredentials } };
  }

  /** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
  #assumeRole({ body }: ReceivedCall): StandInResponse {
    const fields = new URLSearchParams(body.toString());
    if (fields.get('WebIdentityToken') !== this.podToken)
      return { status: 400, body: stsError('InvalidIdentityToken') };
    const credentials = [
      ['AccessKeyId', this.accessKeyId],
      ['SecretAccessKey', this.secretAccessKey],
      ['SessionToken', this.sessionToken ?? ''],
      ['Expiration', new Date(Date.now() + 3_600_000).toISOString()],
    ].map(([name, value]) => `<${name}>${value}</${name}>`);
    const result = `<Credentials>${credentials.join('')}</Credentials>`;
    return { status: 200, body: `<R><${fields.get('Action')}Result>${result}</${fields.get('Action')}Result></R>` };
  }

  #credentials(): StandInResponse {
    const { accessKeyId, secretAccessKey, sessionToken } = this;
    const times = { LastUpdated: '2026-01-01T00:00:00Z', Expiration: '2126-01-01T06:00:00Z' };
    const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
    // As encoders that escape slashes write it.
    const text = JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...times, ...keys }).replaceAll('/', '\\/');
    return { status: 200, body: text };
  }

  #useKey({ headers, body }: ReceivedCall): StandInResponse {
    const signer = `AWS4-HMAC-SHA256 Credential=${this.accessKeyId}/`;
    if (headers.authorization?.startsWith(signer) !== true) return failure('UnrecognizedClientException');
    if ((headers['x-amz-security-token'] ?? null) !== this.sessionToken) return failure('UnrecognizedClientException');
    if (this.isDenied) return failure('AccessDeniedException');
    const fields = JSON.parse(body.toString());
    if (fields.KeyId !== AWS_KEY && fields.KeyId !== ALIAS) return failure('NotFoundException');
    const context = Buffer.from(JSON.stringify(fields.EncryptionContext ?? {}));
    if (headers['x-amz-target'] === 'TrentService.Encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(context);
      const start = [nonce, cipher.update(Buffer.from(fields.Plaintext, 'base64')), cipher.final()];
      const blob = Buffer.concat([...start, cipher.getAuthTag()]);
      const rest = { KeyId: AWS_KEY, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      return { status: 200, body: { CiphertextBlob: blob.toString('base64'), ...rest } };
    }
    if (headers['x-amz-target'] !== 'TrentService.Decrypt') return failure('UnknownOperationException');
    const sealed = Buffer.from(fields.CiphertextBlob, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12)).setAAD(context);
    try {
      decipher.setAuthTag(sealed.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
      return { status: 200, body: { KeyId: AWS_KEY, Plaintext: plaintext.toString('base64') } };
    } catch {
      return failure('InvalidCiphertextException');
    }
  }
}

/** As KMS sends it; most have status 400. */
export function failure(type: string): StandInResponse {
  return { status: 400, body: { __type: type, message: 'refused' } };
}

function stsError(code: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>refused</Message></Error></ErrorResponse>`;
}
