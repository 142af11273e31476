import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import type { LendSecret, WrappingKey } from '../../../ports/wrapping-key.ts';
import { type AwsCredentialsPlace, AwsCredentialsReader } from './aws-credentials.ts';
import { type AwsCredentials, formatAwsTime, signAwsRequest } from './aws-signature.ts';
import type { HttpResponse } from './http-response.ts';
import { findJsonString, hasJsonString } from './json-strings.ts';
import { withDecodedSecret, withSecretJson } from './secret-json.ts';
import { ServiceClient } from './service-client.ts';

/** Where AWS KMS is, and how to authenticate. */
export interface AwsSettings {
  /** Null: that of the key's ARN. */
  readonly region: string | null;
  /** Null: that of the region. */
  readonly endpoint: URL | null;
  readonly credentials: AwsCredentialsPlace;
  readonly timeoutMs: number;
  readonly caFile: string | null;
}

/** Errors that KMS sends with status 400, and that pass. */
const PASSING: readonly (string | undefined)[] = ['ThrottlingException', 'LimitExceededException'];

/**
 * A symmetric key of AWS KMS (JSON 1.1 protocol, Encrypt and Decrypt). The master key's id is the
 * encryption context.
 * Source: https://docs.aws.amazon.com/kms/latest/APIReference/API_Decrypt.html
 */
export class AwsKmsKey implements WrappingKey {
  readonly #name: string;
  readonly #region: string;
  readonly #url: URL;
  readonly #client: ServiceClient;
  readonly #reader: AwsCredentialsReader;

  /**
   * @param name ARN of a key or alias, `alias/<name>` or a key id
   * @throws MasterKeyUnavailableError if the region is unknown or contradicts the ARN
   */
  constructor(name: string, settings: AwsSettings) {
    const { endpoint, credentials, timeoutMs, caFile } = settings;
    this.#name = name;
    this.#region = regionOf(name, settings.region);
    this.#url = endpoint ?? endpointOf(this.#region);
    const addressAdvice = 'check SIGNING_AWS_REGION, SIGNING_AWS_KMS_ENDPOINT and the network';
    // Only of errors: others have the plaintext, which must not become a string.
    const isPassing = ({ status, body }: HttpResponse) => status === 400 && PASSING.includes(errorTypeOf(body));
    this.#client = new ServiceClient({ label: 'AWS KMS', addressAdvice, timeoutMs, caFile, isPassing });
    this.#reader = new AwsCredentialsReader(credentials, timeoutMs, caFile);
  }

  async wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array> {
    const fields = { KeyId: this.#name, EncryptionContext: encryptionContext(masterKeyId) };
    return withSecretJson(fields, 'Plaintext', lend, (body) =>
      this.#send('Encrypt', body, (json) => Buffer.from(findJsonString(json, 'CiphertextBlob').toString(), 'base64')),
    );
  }

  async unwrap<Result>(
    masterKeyId: string,
    ciphertext: Uint8Array,
    use: (masterKey: Uint8Array) => Result,
  ): Promise<Result> {
    const fields = {
      KeyId: this.#name,
      EncryptionContext: encryptionContext(masterKeyId),
      CiphertextBlob: Buffer.from(ciphertext).toString('base64'),
    };
    return this.#send('Decrypt', Buffer.from(JSON.stringify(fields)), (json) =>
      withDecodedSecret(findJsonString(json, 'Plaintext'), use),
    );
  }

  async #send<Result>(operation: 'Encrypt' | 'Decrypt', body: Buffer, use: (json: Buffer) => Result): Promise<Result> {
    const credentials = await this.#reader.read();
    try {
      const headers = this.#headers(operation, body, credentials);
      return await this.#client.call({ method: 'POST', url: this.#url, headers, body }, (response) => {
        if (response.status !== 200) throw this.#refusal(operation, response);
        return use(response.body);
      });
    } finally {
      credentials.secretAccessKey.fill(0);
      credentials.sessionToken?.fill(0);
    }
  }

  /** Signed once for all attempts: AWS accepts a signature for five minutes. */
  #headers(operation: string, body: Buffer, credentials: AwsCredentials) {
    const time = formatAwsTime(new Date());
    const { sessionToken } = credentials;
    const headers = [
      ['Content-Type', 'application/x-amz-json-1.1'],
      ['X-Amz-Date', time],
      ['X-Amz-Target', `TrentService.${operation}`],
      ...(sessionToken === null ? [] : [['X-Amz-Security-Token', sessionToken] as const]),
    ] as const;
    const authorization = signAwsRequest(
      { method: 'POST', path: this.#url.pathname, headers: [['Host', this.#url.host], ...headers], body },
      { time, region: this.#region, service: 'kms' },
      credentials,
    );
    return [...headers, ['Authorization', authorization]] as const;
  }

  #refusal(operation: 'Encrypt' | 'Decrypt', { status, body }: HttpResponse): Error {
    const type = errorTypeOf(body);
    const credentials = 'SIGNING_AWS_CREDENTIALS_FILE, or the role of this machine';
    const rejected = `the credentials were rejected; check ${credentials}`;
    const ciphertext = 'it rejected the ciphertext; restore the master key file';
    const texts: { readonly [type: string]: string } = {
      AccessDeniedException: `permission denied for ${operation} with ${this.#name}; allow kms:${operation} in the key policy or the IAM policy`,
      DisabledException: `${this.#name} is disabled; enable the key`,
      KMSInvalidStateException: `${this.#name} is not usable, for example pending deletion; cancel the deletion`,
      NotFoundException: `there is no key ${this.#name} in ${this.#region}; check the wrapping key's name and SIGNING_AWS_REGION`,
      InvalidCiphertextException: ciphertext,
      IncorrectKeyException: `${ciphertext}, whose key is not ${this.#name}`,
      InvalidKeyUsageException: `${this.#name} is not a symmetric encryption key; use one`,
      ExpiredTokenException: `the credentials are expired; renew ${credentials}`,
      UnrecognizedClientException: rejected,
      IncompleteSignatureException: rejected,
      MissingAuthenticationTokenException: rejected,
      InvalidSignatureException: `the signature was rejected; check ${credentials}, SIGNING_AWS_REGION and the clock`,
      ThrottlingException: 'too many requests; try again later',
      LimitExceededException: 'too many requests; try again later',
    };
    const known = type === undefined ? undefined : texts[type];
    const text = known ?? `unexpected status ${status}; try again later`;
    return this.#client.failure(this.#url, type === undefined ? text : `${text} (${type})`);
  }
}

/** Shown in CloudTrail, and usable in conditions of policies. */
function encryptionContext(masterKeyId: string): { readonly [name: string]: string } {
  return { 'signing-service/master-key/v1': masterKeyId };
}

function regionOf(name: string, region: string | null): string {
  const ofKey = /^arn:[\w-]+:kms:([a-z0-9-]+):/.exec(name)?.[1];
  if (ofKey !== undefined && region !== null && ofKey !== region) {
    throw new MasterKeyUnavailableError(
      `the key ${name} is in ${ofKey}, but SIGNING_AWS_REGION is ${region}; correct one of them`,
    );
  }
  const found = ofKey ?? region;
  if (found !== null) return found;
  throw new MasterKeyUnavailableError(
    `the source aws-kms needs the setting SIGNING_AWS_REGION, since ${name} has no region; set it, or name the key by its ARN`,
  );
}

/** China has another domain. */
function endpointOf(region: string): URL {
  return new URL(`https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`);
}

/**
 * `__type` of an error response, which can have a prefix: `com.amazonaws.kms#DisabledException`.
 */
function errorTypeOf(body: Buffer): string | undefined {
  if (!hasJsonString(body, '__type')) return undefined;
  const type = findJsonString(body, '__type').toString('latin1').split('#').at(-1) ?? '';
  return /^[A-Za-z]{1,80}$/.test(type) ? type : undefined;
}
