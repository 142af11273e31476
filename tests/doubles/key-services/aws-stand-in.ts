import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { type ReceivedCall, ServiceStandIn, type StandInResponse } from './service-stand-in.ts';

/** Name of the stand-in's key. */
export const AWS_KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const ALIAS = 'alias/signing';

/**
 * AWS KMS with one key, the container credentials endpoint and IMDSv2, as their documentation
 * describes them: https://docs.aws.amazon.com/kms/latest/APIReference/. Checks each signature.
 */
export class AwsStandIn {
  accessKeyId = 'AKIDEXAMPLE';
  secretAccessKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
  /** Null: long-term credentials. */
  sessionToken: string | null = 'IQoJb3JpZ2luX2VjE//stand-in==';
  readonly region = 'eu-west-1';
  /** Of the pod's service account. */
  readonly podToken = 'eyJhbGciOiJub25lIn0.e30.c2ln';
  isDenied = false;
  hasRole = true;
  readonly #imdsToken = randomBytes(24).toString('base64');
  readonly #key = randomBytes(32);

  start(): Promise<ServiceStandIn> {
    return ServiceStandIn.start((call) => this.#respond(call));
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
    return this.#useKey(call);
  }

  #credentials(): StandInResponse {
    const { accessKeyId, secretAccessKey, sessionToken } = this;
    const times = { LastUpdated: '2026-01-01T00:00:00Z', Expiration: '2026-01-01T06:00:00Z' };
    const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
    // As encoders that escape slashes write it.
    const text = JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...times, ...keys }).replaceAll('/', '\\/');
    return { status: 200, body: text };
  }

  #useKey(call: ReceivedCall): StandInResponse {
    const { headers, body } = call;
    if (headers['content-type'] !== 'application/x-amz-json-1.1') return failure('UnknownOperationException');
    if ((headers['x-amz-security-token'] ?? null) !== this.sessionToken) return failure('UnrecognizedClientException');
    if (headers.authorization !== this.#authorize(call)) return failure('InvalidSignatureException');
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

  /** The header for what arrived, computed from the AWS description and not with the adapter. */
  #authorize({ method, path, headers, body }: ReceivedCall): string {
    const signed = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'].filter(
      (name) => headers[name] !== undefined,
    );
    const lines = signed.map((name) => `${name}:${String(headers[name])}\n`).join('');
    const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
    const canonical = `${method}\n${path}\n\n${lines}\n${signed.join(';')}\n${hash(body)}`;
    const time = String(headers['x-amz-date']);
    const day = time.slice(0, 8);
    const scope = `${day}/${this.region}/kms/aws4_request`;
    const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
    const dateKey = hmac(`AWS4${this.secretAccessKey}`, day);
    const signingKey = hmac(hmac(hmac(dateKey, this.region), 'kms'), 'aws4_request');
    const code = hmac(signingKey, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`).toString('hex');
    return `AWS4-HMAC-SHA256 Credential=${this.accessKeyId}/${scope}, SignedHeaders=${signed.join(';')}, Signature=${code}`;
  }
}

/** As KMS sends it; most have status 400. */
export function failure(type: string): StandInResponse {
  return { status: 400, body: { __type: type, message: 'refused' } };
}
