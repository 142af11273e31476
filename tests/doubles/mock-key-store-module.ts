import { MockKeyStore } from './mock-key-store.ts';

/** For SIGNING_KEY_STORE_MODULE: a MockKeyStore that reports its calls on standard error. */
export function createKeyStore(): MockKeyStore {
  return new MockKeyStore(({ call, identity }) => {
    const whose = identity === null ? '' : ` ${identity.platformId}/${identity.accountId} (${identity.algorithm})`;
    process.stderr.write(`key store: ${call}${whose}\n`);
  });
}
