import { readAwsCredentialsFile } from './aws-credentials-file.ts';
import type { AwsCredentials } from './aws-signature.ts';
import { findJsonString, JsonStringError } from './json-strings.ts';
import { readTokenFile } from './secret-token-file.ts';
import type { ServiceCall } from './service-call.ts';
import { ServiceClient } from './service-client.ts';

/** Where credentials for AWS come from. */
export type AwsCredentialsPlace =
  | { readonly kind: 'file'; readonly file: string }
  /** Endpoint of ECS, or of EKS Pod Identity with a token file. */
  | { readonly kind: 'container'; readonly url: URL; readonly tokenFile: string | null }
  /** IMDSv2 of an EC2 instance. */
  | { readonly kind: 'instance'; readonly metadataServer: URL };

const TOKEN_LIFETIME_SECONDS = '60';
const ROLES_PATH = '/latest/meta-data/iam/security-credentials/';

/**
 * Obtains credentials at each opening, so that renewed ones are used.
 * Sources: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html,
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 */
export class AwsCredentialsReader {
  readonly #place: AwsCredentialsPlace;
  readonly #client: ServiceClient;

  constructor(place: AwsCredentialsPlace, timeoutMs: number, caFile: string | null) {
    this.#place = place;
    const [label, addressAdvice] =
      place.kind === 'container'
        ? ['AWS container credentials', 'check AWS_CONTAINER_CREDENTIALS_FULL_URI and the task or pod']
        : ['EC2 instance metadata', 'outside EC2, set SIGNING_AWS_CREDENTIALS_FILE'];
    this.#client = new ServiceClient({ label, addressAdvice, timeoutMs, caFile });
  }

  /**
   * @returns credentials that the caller wipes
   * @throws MasterKeyUnavailableError, MemoryLockError
   */
  read(): Promise<AwsCredentials> {
    const place = this.#place;
    if (place.kind === 'container') return this.#readContainer(place.url, place.tokenFile);
    if (place.kind === 'instance') return this.#readInstance(place.metadataServer);
    return Promise.resolve().then(() => readAwsCredentialsFile(place.file));
  }

  async #readContainer(url: URL, tokenFile: string | null): Promise<AwsCredentials> {
    const setting = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE';
    const token = tokenFile === null ? null : readTokenFile(setting, tokenFile, 'kubelet');
    try {
      const headers = token === null ? [] : [['Authorization', token] as const];
      return await this.#fetch(url, headers, 'give the task or pod a role with access to the key');
    } finally {
      token?.fill(0);
    }
  }

  async #readInstance(server: URL): Promise<AwsCredentials> {
    const tokenUrl = new URL('/latest/api/token', server);
    const lifetime = ['X-aws-ec2-metadata-token-ttl-seconds', TOKEN_LIFETIME_SECONDS] as const;
    const token = await this.#client.call({ method: 'PUT', url: tokenUrl, headers: [lifetime] }, (response) => {
      if (response.status === 200) return Buffer.alloc(response.body.length).fill(response.body);
      throw this.#client.failure(tokenUrl, `no session token (${response.status}); enable IMDSv2 of the instance`);
    });
    try {
      const headers = [['X-aws-ec2-metadata-token', token]] as const;
      const rolesUrl = new URL(ROLES_PATH, server);
      const advice = 'attach an instance profile with access to the key';
      const role = await this.#client.call({ method: 'GET', url: rolesUrl, headers }, ({ status, body }) => {
        const name = /^[\w+=,.@-]{1,64}/.exec(body.toString('latin1', 0, 65))?.[0];
        if (status === 200 && name !== undefined) return name;
        throw this.#client.failure(rolesUrl, `the instance has no role (${status}); ${advice}`);
      });
      return await this.#fetch(new URL(encodeURIComponent(role), rolesUrl), headers, advice);
    } finally {
      token.fill(0);
    }
  }

  /** Credentials as the container endpoint and IMDS write them. */
  #fetch(url: URL, headers: ServiceCall['headers'], advice: string): Promise<AwsCredentials> {
    return this.#client.call({ method: 'GET', url, headers }, ({ status, body }) => {
      if (status !== 200) throw this.#client.failure(url, `no credentials (${status}); ${advice}`);
      const accessKeyId = findJsonString(body, 'AccessKeyId').toString('latin1');
      const secretAccessKey = copyOf(findJsonString(body, 'SecretAccessKey'));
      return { accessKeyId, secretAccessKey, sessionToken: copyToken(body) };
    });
  }
}

/** Null: there is none. Looks once, since finding a string unescapes it in place. */
function copyToken(json: Buffer): Buffer | null {
  try {
    return copyOf(findJsonString(json, 'Token'));
  } catch (error) {
    if (error instanceof JsonStringError) return null;
    throw error;
  }
}

/** Outside Node's pool of buffers. */
function copyOf(bytes: Buffer): Buffer {
  return Buffer.alloc(bytes.length).fill(bytes);
}
