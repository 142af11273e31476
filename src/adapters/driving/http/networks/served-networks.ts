import type { NetworkList } from './network-list.ts';

/** Whose requests are answered, and whose word is taken for where a request comes from. */
export interface ServedNetworks {
  /** Callers in these are served. */
  readonly allowed: NetworkList;
  /** Proxies whose `X-Forwarded-For` is believed; null: nobody's is. */
  readonly trustedProxies: NetworkList | null;
}

/**
 * Whether something may come from there that is answered: from a caller, or from a proxy of callers.
 * @param address of the other end of a connection; undefined once that is gone
 */
export function isServedPeer(address: string | undefined, { allowed, trustedProxies }: ServedNetworks): boolean {
  if (address === undefined) return false;
  return allowed.includes(address) || trustedProxies?.includes(address) === true;
}
