import { MockKeyStore } from './mock-key-store.ts';

/** For SIGNING_KEY_STORE_MODULE: the whole service over a MockKeyStore that tells on standard error what is asked of it. */
export function createKeyStore(): MockKeyStore {
  return new MockKeyStore(({ call, identity }) => {
    const whose = identity === null ? '' : ` ${identity.platformId}/${identity.accountId} (${identity.algorithm})`;
    process.stderr.write(`key store: ${call}${whose}\n`);
  });
}
