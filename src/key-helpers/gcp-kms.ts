import { HelperProblem } from './helper-program.ts';
import {
  associatedData,
  explainConnection,
  importLibrary,
  readSecretLine,
  serveMasterKeys,
} from './serve-master-keys.ts';

/* Wraps master keys with symmetric keys of Google Cloud KMS. */

interface GcpSettings {
  readonly endpoint: string;
  readonly tokenFile: string | null;
}

/** The part of @google-cloud/kms that is used. */
interface KmsLibrary {
  readonly KeyManagementServiceClient: new (
    options: object,
  ) => {
    encrypt(request: object, options: object): Promise<readonly [{ readonly ciphertext: Uint8Array }]>;
    decrypt(request: object, options: object): Promise<readonly [{ readonly plaintext: Uint8Array }]>;
  };
}

interface AuthLibrary {
  readonly OAuth2Client: new () => { setCredentials(credentials: { readonly access_token: string }): void };
}

/** Remedies by status of gRPC: https://grpc.io/docs/guides/status-codes/ */
const REMEDIES: { readonly [code: number]: string } = {
  3: 'check that the wrapping key is the one that wrapped it, and restore the master key file',
  5: "check the wrapping key's name",
  7: 'grant roles/cloudkms.cryptoKeyDecrypter, and for init and rotate roles/cloudkms.cryptoKeyEncrypter',
  9: 'enable the key',
  16: 'renew the access token (SIGNING_GCP_TOKEN_FILE), or check GOOGLE_APPLICATION_CREDENTIALS',
};

await serveMasterKeys(async ({ endpoint, tokenFile }: GcpSettings) => {
  const token = tokenFile === null ? null : readSecretLine('SIGNING_GCP_TOKEN_FILE', tokenFile);
  const { KeyManagementServiceClient } = await importLibrary<KmsLibrary>('@google-cloud/kms');
  const { OAuth2Client } = await importLibrary<AuthLibrary>('google-auth-library');
  const authClient = new OAuth2Client();
  if (token !== null) authClient.setCredentials({ access_token: token });
  const { protocol, hostname, port } = new URL(endpoint);
  const client = new KeyManagementServiceClient({
    ...(token === null ? {} : { authClient }),
    ...{ apiEndpoint: hostname, port: Number(port) || 443, protocol: protocol.replace(':', '') },
    // REST: honors HTTPS_PROXY, and needs no HTTP/2.
    fallback: true,
  });
  return {
    async wrap(name, id, masterKey) {
      const request = { name, plaintext: masterKey, additionalAuthenticatedData: associatedData(id) };
      return (await client.encrypt(request, {}).catch((error: unknown) => refuse(name, error)))[0].ciphertext;
    },
    async unwrap(name, id, ciphertext) {
      const request = { name, ciphertext, additionalAuthenticatedData: associatedData(id) };
      return (await client.decrypt(request, {}).catch((error: unknown) => refuse(name, error)))[0].plaintext;
    },
  };
});

function refuse(name: string, error: unknown): never {
  if (!(error instanceof Error)) throw error;
  const connection = explainConnection(error, 'check SIGNING_GCP_KMS_ENDPOINT and the network');
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  const remedy = REMEDIES[code] ?? 'set GOOGLE_APPLICATION_CREDENTIALS or SIGNING_GCP_TOKEN_FILE, or try again later';
  throw new HelperProblem(`Google Cloud KMS, key ${name}: ${connection ?? `${error.message}; ${remedy}`}`);
}
