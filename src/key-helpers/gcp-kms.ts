import { HelperProblem } from './helper-program.ts';
import {
  assertConnected,
  associatedData,
  describeError,
  importLibrary,
  readSecretLine,
  serveMasterKeys,
} from './serve-master-keys.ts';

/* Wraps master keys with symmetric keys of Google Cloud KMS. */

/** Settings of this helper. */
export interface GcpSettings {
  readonly endpoint: string;
  readonly tokenFile: string | null;
}

/** The part of @google-cloud/kms that is used. */
interface KmsLibrary {
  readonly KeyManagementServiceClient: new (
    options: object,
  ) => {
    encrypt(request: object): Promise<readonly [{ readonly ciphertext: Uint8Array }]>;
    decrypt(request: object): Promise<readonly [{ readonly plaintext: Uint8Array }]>;
  };
}

/** Of google-auth-library. */
interface AuthClient {
  fetch(url: string, init: object): Promise<unknown>;
}

interface AuthLibrary {
  readonly OAuth2Client: new (options: object) => AuthClient;
  readonly GoogleAuth: new (options: object) => { getClient(): Promise<AuthClient> };
}

/** By status of HTTP. */
const REMEDIES: { readonly [status: number]: string } = {
  400: 'enable the key, check that it is the one that wrapped the master key, or restore the master key file',
  401: 'renew the access token (SIGNING_GCP_TOKEN_FILE), or check GOOGLE_APPLICATION_CREDENTIALS',
  403: 'grant roles/cloudkms.cryptoKeyDecrypter, and for init and rotate roles/cloudkms.cryptoKeyEncrypter',
  404: "check the wrapping key's name",
};
const CREDENTIALS = 'set GOOGLE_APPLICATION_CREDENTIALS or SIGNING_GCP_TOKEN_FILE, or attach a service account';

await serveMasterKeys(async ({ endpoint, tokenFile }: GcpSettings) => {
  const token = tokenFile === null ? null : readSecretLine('SIGNING_GCP_TOKEN_FILE', tokenFile);
  const { KeyManagementServiceClient } = await importLibrary<KmsLibrary>('@google-cloud/kms');
  const { GoogleAuth, OAuth2Client } = await importLibrary<AuthLibrary>('google-auth-library');

  // Any project: otherwise the library requests the number of that of the credentials.
  const options = { scopes: ['https://www.googleapis.com/auth/cloudkms'], projectId: 'unused' };
  const authClient =
    token === null
      ? await new GoogleAuth(options).getClient().catch(refuse('Google credentials'))
      : new OAuth2Client({ credentials: { access_token: token } });
  // With the agent of google-gax, HTTPS_PROXY would have no effect.
  const fetchWithAgent = authClient.fetch.bind(authClient);
  authClient.fetch = (url, init) => fetchWithAgent(url, { ...init, agent: undefined });

  const { protocol, hostname, port } = new URL(endpoint);
  const client = new KeyManagementServiceClient({
    ...{ authClient, apiEndpoint: hostname, port: Number(port) || 443, protocol: protocol.replace(':', '') },
    // REST instead of gRPC.
    fallback: true,
  });
  return {
    async wrap(name, id, masterKey) {
      const request = { name, plaintext: masterKey, additionalAuthenticatedData: associatedData(id) };
      const [{ ciphertext }] = await client.encrypt(request).catch(refuse(`Google Cloud KMS, key ${name}`));
      return ciphertext;
    },
    async unwrap(name, id, ciphertext) {
      const request = { name, ciphertext, additionalAuthenticatedData: associatedData(id) };
      const [{ plaintext }] = await client.decrypt(request).catch(refuse(`Google Cloud KMS, key ${name}`));
      return plaintext;
    },
  };
});

function refuse(subject: string): (error: unknown) => never {
  return (error) => {
    assertConnected(subject, error, 'check SIGNING_GCP_KMS_ENDPOINT and the network');
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
    const reason = readReason(describeError(error));
    throw new HelperProblem(`${subject}: ${reason}; ${REMEDIES[status] ?? CREDENTIALS}`);
  };
}

/** The message of Google's error document; other texts as they are. */
function readReason(text: string): string {
  try {
    return String(JSON.parse(text).error.message);
  } catch {
    return text;
  }
}
