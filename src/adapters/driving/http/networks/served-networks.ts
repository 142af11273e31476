import type { NetworkList } from './network-list.ts';

/** Whose requests are answered, and whose word is taken for where a request comes from. */
export interface ServedNetworks {
  /** Callers in these are served. */
  readonly allowed: NetworkList;
  /** Proxies whose `X-Forwarded-For` is believed; null: nobody's is. */
  readonly trustedProxies: NetworkList | null;
}
