import { globalAgent } from 'node:https';
import { HelperProblem } from './helper-program.ts';
import {
  assertConnected,
  describeError,
  importLibrary,
  readPrivateFile,
  serveMasterKeys,
} from './serve-master-keys.ts';

/* Wraps master keys with symmetric keys of AWS KMS. */

/** Settings of this helper. */
export interface AwsSettings {
  readonly region: string | null;
  readonly endpoint: string | null;
  readonly credentialsFile: string | null;
}

/** The part of @aws-sdk/client-kms that is used. */
interface KmsLibrary {
  readonly KMS: new (
    configuration: object,
  ) => {
    encrypt(input: object): Promise<{ readonly CiphertextBlob: Uint8Array }>;
    decrypt(input: object): Promise<{ readonly Plaintext: Uint8Array }>;
  };
}

const REJECTED_CIPHERTEXT = 'check that the wrapping key is the one that wrapped it, and restore the master key file';
const CREDENTIALS =
  'check the credentials: SIGNING_AWS_CREDENTIALS_FILE, the AWS_ variables, or the role of this machine';

/** Remedies by name or message of the SDK's error. */
const REMEDIES: { readonly [name: string]: string } = {
  AccessDeniedException: 'allow kms:Decrypt, and for init and rotate kms:Encrypt, in the key policy or the IAM policy',
  CredentialsProviderError: CREDENTIALS,
  DisabledException: 'enable the key',
  ExpiredTokenException: CREDENTIALS,
  IncorrectKeyException: REJECTED_CIPHERTEXT,
  InvalidCiphertextException: REJECTED_CIPHERTEXT,
  InvalidKeyUsageException: 'use a symmetric key for encryption',
  InvalidSignatureException: `${CREDENTIALS}; and the clock`,
  KMSInvalidStateException: 'if the key is pending deletion, cancel the deletion',
  NotFoundException: "check the wrapping key's name and SIGNING_AWS_REGION",
  'Region is missing': 'set SIGNING_AWS_REGION, or name the key by its ARN',
  TokenProviderError: CREDENTIALS,
  UnrecognizedClientException: CREDENTIALS,
};

await serveMasterKeys(async ({ region, endpoint, credentialsFile }: AwsSettings) => {
  if (credentialsFile !== null) {
    readPrivateFile('SIGNING_AWS_CREDENTIALS_FILE', credentialsFile);
    process.env['AWS_SHARED_CREDENTIALS_FILE'] = credentialsFile;
    // A profile has precedence over keys in the environment.
    process.env['AWS_PROFILE'] ??= 'default';
  }
  const { KMS } = await importLibrary<KmsLibrary>('@aws-sdk/client-kms');
  const httpsAgent = await createProxyAgent();

  const connect = (name: string) => {
    const ofKey = /^arn:[\w-]+:kms:([a-z0-9-]+):/.exec(name)?.[1] ?? null;
    if (ofKey !== null && region !== null && ofKey !== region) {
      throw new HelperProblem(
        `the key ${name} is in ${ofKey}, but SIGNING_AWS_REGION is ${region}; correct one of them`,
      );
    }
    return new KMS({
      requestHandler: { httpsAgent },
      // Undefined: that of the AWS configuration.
      region: ofKey ?? region ?? undefined,
      endpoint: endpoint ?? undefined,
    });
  };

  return {
    async wrap(name, id, masterKey) {
      const input = { KeyId: name, Plaintext: masterKey, EncryptionContext: encryptionContext(id) };
      const { CiphertextBlob } = await connect(name).encrypt(input).catch(refuse(name));
      return CiphertextBlob;
    },
    async unwrap(name, id, ciphertext) {
      const input = { KeyId: name, CiphertextBlob: ciphertext, EncryptionContext: encryptionContext(id) };
      const { Plaintext } = await connect(name).decrypt(input).catch(refuse(name));
      return Plaintext;
    },
  };
});

/** Shown in CloudTrail, and usable in conditions of policies. */
function encryptionContext(id: string): object {
  return { 'signing-service/master-key/v1': id };
}

/** The SDK itself reads no HTTPS_PROXY. This chooses for each connection, by NO_PROXY, too. */
async function createProxyAgent(): Promise<object> {
  const { Agent } = await importLibrary<{ Agent: new () => object }>('agent-base');
  const { HttpsProxyAgent } = await importLibrary<{ HttpsProxyAgent: new (url: string) => object }>(
    'https-proxy-agent',
  );
  const { getProxyForUrl } = await importLibrary<{ getProxyForUrl(url: string): string }>('proxy-from-env');
  class ProxyAgent extends Agent {
    connect(_request: unknown, { host, port }: { readonly host: string; readonly port: number }): object {
      const proxy = getProxyForUrl(`https://${host}:${port}`);
      return proxy === '' ? globalAgent : new HttpsProxyAgent(proxy);
    }
  }
  return new ProxyAgent();
}

function refuse(name: string): (error: unknown) => never {
  return (error) => {
    const subject = `AWS KMS, key ${name}`;
    assertConnected(subject, error, 'check SIGNING_AWS_REGION, SIGNING_AWS_KMS_ENDPOINT and the network');
    const type = error instanceof Error ? error.name : '';
    const reason = describeError(error);
    const remedy = REMEDIES[type] ?? REMEDIES[reason] ?? 'try again later';
    throw new HelperProblem(`${subject}: ${reason} (${type}); ${remedy}`);
  };
}
