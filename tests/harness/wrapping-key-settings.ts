import { HelperWrappingKeys, type WrappingKeySettings } from '../../src/adapters/key-helper/helper-wrapping-keys.ts';

/** Wrapping keys of key helpers, with these settings and otherwise none. */
export function helpersWith(
  settings: Partial<WrappingKeySettings>,
  environment: NodeJS.ProcessEnv = process.env,
): HelperWrappingKeys {
  const all = {
    ...{ timeoutMs: 20_000, caFile: null, vault: null, pkcs11: null, helper: null },
    gcp: { endpoint: 'https://cloudkms.googleapis.com', tokenFile: null },
    aws: { region: null, endpoint: null, credentialsFile: null },
    ...settings,
  };
  return new HelperWrappingKeys(all, environment);
}
