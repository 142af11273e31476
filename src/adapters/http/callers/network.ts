import { isIP } from 'node:net';

/** A network in CIDR form (RFC 4632 §3.1, RFC 4291 §2.3). */
export interface Network {
  /** As configured. */
  readonly text: string;
  readonly family: keyof typeof ADDRESS_BITS;
  /** As configured, before the slash. */
  readonly address: string;
  /** Prefix length in bits. */
  readonly prefix: number;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address: `192.0.2.7`. */
const NETWORK = /^([0-9a-fA-F.:]{2,45})(?:\/(\d{1,3}))?$/;

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

/** Parses a network in CIDR form, or one address; null if invalid. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  const family = getFamily(address);
  if (family === null) return null;
  const length = Number(prefix ?? ADDRESS_BITS[family]);
  return length > ADDRESS_BITS[family] ? null : { text, family, address, prefix: length };
}

/** Whether the outer network contains the inner one. */
export function isInside(inner: Network, outer: Network): boolean {
  if (inner.family !== outer.family || inner.prefix < outer.prefix) return false;
  const rest = BigInt(ADDRESS_BITS[outer.family] - outer.prefix);
  return toBits(inner) >> rest === toBits(outer) >> rest;
}

/** The network address, `10.0.0.0/8` for `10.0.0.5/8`; null if no host bit is set. */
export function networkAddress(network: Network): string | null {
  const { family, prefix } = network;
  const rest = BigInt(ADDRESS_BITS[family] - prefix);
  const bits = toBits(network);
  const first = (bits >> rest) << rest;
  return first === bits ? null : `${formatAddress(first, family)}/${prefix}`;
}

/** The family of an address; null if it is not an address. */
export function getFamily(address: string): Network['family'] | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** In the form of RFC 5952. */
function formatAddress(bits: bigint, family: Network['family']): string {
  const [size, count] = family === 'ipv4' ? [8n, 4] : [16n, 8];
  const parts = Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(Number(size), bits >> (size * BigInt(count - 1 - index))),
  );
  if (family === 'ipv4') return parts.join('.');
  return canonicalizeIpv6(parts.map((part) => part.toString(16)).join(':'));
}

function toBits({ family, address }: Network): bigint {
  if (family === 'ipv4') return address.split('.').reduce((bits, part) => (bits << 8n) + BigInt(part), 0n);
  return toIpv6Groups(address).reduce((bits, group) => (bits << 16n) + BigInt(`0x${group}`), 0n);
}

/** The eight groups of an IPv6 address in any notation (RFC 4291 §2.2). */
export function toIpv6Groups(address: string): readonly string[] {
  const [head = '', tail = ''] = canonicalizeIpv6(address).split('::');
  const front = splitGroups(head);
  const back = splitGroups(tail);
  return [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
}

/** URL parsing gives the shortest form, without IPv4 at the end. */
function canonicalizeIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function splitGroups(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}

/** Networks without public addresses: the default of SIGNING_ALLOWED_NETWORKS. */
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

/** Whether a network has no public addresses. */
export function isPrivate(network: Network): boolean {
  return PRIVATE.some((outer) => isInside(network, outer));
}
