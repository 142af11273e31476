import type { KeyStore } from '../ports/key-store.ts';
import type { ServiceLog } from '../ports/service-log.ts';

const MS_PER_SECOND = 1000;

/** Has the keys in memory protected anew every so many seconds, until the returned function is called. It keeps no process alive. */
export function refreshKeysEvery(seconds: number, keyStore: KeyStore, log: ServiceLog): () => void {
  const refresh = () => {
    keyStore.refresh().catch((cause: unknown) => {
      log.error('The keys in memory could not be encrypted anew; they stay as they were.', { cause });
    });
  };
  const timer = setInterval(refresh, seconds * MS_PER_SECOND).unref();
  return () => clearInterval(timer);
}
