import { isInside, type Network, parseNetwork } from './network.ts';

/** Networks that no address of the public internet is in: what is served unless SIGNING_ALLOWED_NETWORKS says otherwise. */
export const PRIVATE_NETWORKS: readonly string[] = [
  // Loopback (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
  '127.0.0.0/8',
  '::1',
  // Private (RFC 1918 §3) and unique local (RFC 4193 §3.1).
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  // Link-local (RFC 3927 §2.1, RFC 4291 §2.5.6).
  '169.254.0.0/16',
  'fe80::/10',
];

const PRIVATE: readonly Network[] = PRIVATE_NETWORKS.flatMap((text) => parseNetwork(text) ?? []);

/** Whether no address of a network is one of the public internet. */
export function isPrivate(network: Network): boolean {
  return PRIVATE.some((outer) => isInside(network, outer));
}
