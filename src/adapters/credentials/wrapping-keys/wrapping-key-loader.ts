import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import type { WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKey } from '../../../ports/wrapping-key.ts';
import type { LoadWrappingKey } from '../keyring/wrapped-key.ts';
import type { AwsCredentialsOrigin } from './aws-credentials-place.ts';
import type { AwsSettings } from './aws-kms.ts';
import type { GcpSettings } from './gcp-kms.ts';
import type { Pkcs11Settings } from './pkcs11-key.ts';
import type { VaultSettings } from './vault-transit.ts';

/** How to reach services and tokens with wrapping keys. */
export interface WrappingKeySettings {
  /** For one opening, milliseconds. */
  readonly timeoutMs: number;
  /** PEM file of the certificates to trust; null: Node's. */
  readonly caFile: string | null;
  /** Null: not configured. */
  readonly vault: Omit<VaultSettings, 'timeoutMs' | 'caFile'> | null;
  readonly gcp: Omit<GcpSettings, 'timeoutMs' | 'caFile' | 'metadataServer'>;
  readonly aws: Omit<AwsSettings, 'timeoutMs' | 'caFile' | 'credentials'> & AwsCredentialsOrigin;
  /** Null: not configured. */
  readonly pkcs11: Pkcs11Settings | null;
}

const NOTHING_CONFIGURED: WrappingKeySettings = {
  ...{ timeoutMs: 10_000, caFile: null, vault: null },
  gcp: { endpoint: new URL('https://cloudkms.googleapis.com'), tokenFile: null },
  aws: {
    ...{ region: null, endpoint: null, credentialsFile: null },
    container: { relativeUri: null, fullUri: null, tokenFile: null },
  },
  pkcs11: null,
};

const GOOGLE_METADATA = new URL('http://metadata.google.internal');

/** Connects to wrapping keys; loads the code of a source when it is first used. */
export function createWrappingKeyLoader(settings: WrappingKeySettings = NOTHING_CONFIGURED): LoadWrappingKey {
  const { timeoutMs, caFile } = settings;
  const loaders: { readonly [Source in WrappingSource]: (name: string) => Promise<WrappingKey> } = {
    'vault-transit': async (name) => {
      if (settings.vault === null) throw notConfigured('vault-transit', VAULT_SETTINGS);
      const { VaultTransitKey } = await import('./vault-transit.ts');
      return new VaultTransitKey(name, { ...settings.vault, timeoutMs, caFile });
    },
    'gcp-kms': async (name) => {
      const { GcpKmsKey } = await import('./gcp-kms.ts');
      return new GcpKmsKey(name, { ...settings.gcp, metadataServer: GOOGLE_METADATA, timeoutMs, caFile });
    },
    'aws-kms': async (name) => {
      const { AwsKmsKey } = await import('./aws-kms.ts');
      const { findAwsCredentialsPlace } = await import('./aws-credentials-place.ts');
      const { region, endpoint } = settings.aws;
      const credentials = findAwsCredentialsPlace(settings.aws);
      return new AwsKmsKey(name, { region, endpoint, credentials, timeoutMs, caFile });
    },
    pkcs11: async (name) => {
      if (settings.pkcs11 === null) throw notConfigured('pkcs11', PKCS11_SETTINGS);
      const { loadPkcs11js } = await import('./load-pkcs11js.ts');
      const { Pkcs11Key } = await import('./pkcs11-key.ts');
      return new Pkcs11Key(name, settings.pkcs11, await loadPkcs11js());
    },
  };
  return (source, name) => loaders[source](name);
}

const VAULT_SETTINGS = 'SIGNING_VAULT_ADDRESS, and SIGNING_VAULT_TOKEN_FILE or SIGNING_VAULT_KUBERNETES_ROLE';
const PKCS11_SETTINGS = 'SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE';

/** Settings with a part of these are refused when they are read. */
function notConfigured(source: string, settings: string): MasterKeyUnavailableError {
  return new MasterKeyUnavailableError(`the source ${source} needs the settings ${settings}; set them`);
}
