import { createHash, createHmac } from 'node:crypto';
import { compareText } from '../../../domain/model/text/compare-text.ts';
import { copySecret } from '../../vault/secret-bytes.ts';

/** Credentials for AWS; the holder wipes the secret parts. */
export interface AwsCredentials {
  /** Not secret. */
  readonly accessKeyId: string;
  /** ASCII. */
  readonly secretAccessKey: Uint8Array;
  /** ASCII, of temporary credentials; null: long-term credentials. */
  readonly sessionToken: Uint8Array | null;
}

/** What is signed; the path must be canonical, and there is no query. */
export interface AwsRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * All headers to sign, without surplus white space; `Host` and `X-Amz-Date` must be among them.
   */
  readonly headers: readonly (readonly [name: string, value: string | Uint8Array])[];
  readonly body: Uint8Array;
}

/** What the signature is valid for. */
export interface AwsScope {
  /** ISO 8601 basic format, UTC: `20150830T123600Z`, as in `X-Amz-Date`. */
  readonly time: string;
  readonly region: string;
  readonly service: string;
}

/**
 * `Authorization` of a request with AWS Signature Version 4. Takes the secrets as bytes, and
 * makes no string of them.
 * Source:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signAwsRequest(request: AwsRequest, scope: AwsScope, credentials: AwsCredentials): string {
  const headers = request.headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([first], [second]) => compareText(first, second));
  const names = headers.map(([name]) => name).join(';');
  const canonical = createHash('sha256').update(`${request.method}\n${request.path}\n\n`);
  for (const [name, value] of headers) canonical.update(`${name}:`).update(value).update('\n');
  canonical.update(`\n${names}\n${createHash('sha256').update(request.body).digest('hex')}`);
  const place = [scope.time.slice(0, 8), scope.region, scope.service, 'aws4_request'];
  const text = `AWS4-HMAC-SHA256\n${scope.time}\n${place.join('/')}\n${canonical.digest('hex')}`;
  const signature = sign(credentials.secretAccessKey, [...place, text]);
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${place.join('/')}, SignedHeaders=${names}, Signature=${signature}`;
}

/** Each code is the key of the next; hex. */
function sign(secretAccessKey: Uint8Array, texts: readonly string[]): string {
  let key = Buffer.alloc(4 + secretAccessKey.length, 'AWS4');
  copySecret(secretAccessKey, key.subarray(4));
  for (const text of texts) {
    const code = createHmac('sha256', key).update(text).digest();
    key.fill(0);
    key = code;
  }
  return key.toString('hex');
}

/** The time of {@link AwsScope}. */
export function formatAwsTime(time: Date): string {
  return time.toISOString().replace(/[-:]|\.\d{3}/g, '');
}
