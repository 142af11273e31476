import { isIP } from 'node:net';

/** A network: all addresses of its family with the same first bits. */
export interface Network {
  /** As it was given. */
  readonly text: string;
  readonly family: keyof typeof ADDRESS_BITS;
  /** An address in it, as it was given. */
  readonly address: string;
  /** Bits that all have in common. */
  readonly prefix: number;
}

/** A network in CIDR form (RFC 4632 §3.1, RFC 4291 §2.3), or one address: `10.0.0.0/8`, `fd00::/8`, `192.0.2.7`. */
const NETWORK = /^([0-9a-fA-F.:]{2,45})(?:\/(\d{1,3}))?$/;

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

/** Reads a network in CIDR form, or one address; null for a text that is none. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  const family = familyOf(address);
  if (family === null) return null;
  const length = Number(prefix ?? ADDRESS_BITS[family]);
  return length > ADDRESS_BITS[family] ? null : { text, family, address, prefix: length };
}

/** Whether every address of a network is in another one, too. */
export function isInside(inner: Network, outer: Network): boolean {
  if (inner.family !== outer.family || inner.prefix < outer.prefix) return false;
  const rest = BigInt(ADDRESS_BITS[outer.family] - outer.prefix);
  return bitsOf(inner) >> rest === bitsOf(outer) >> rest;
}

/** The network that all addresses with the first bits of this one are: `10.0.0.0/8` of `10.0.0.5/8`. Null where it is written so, with no bit set behind its prefix. */
export function wholeNetwork(network: Network): string | null {
  const { family, prefix } = network;
  const rest = BigInt(ADDRESS_BITS[family] - prefix);
  const bits = bitsOf(network);
  const first = (bits >> rest) << rest;
  return first === bits ? null : `${addressOf(first, family)}/${prefix}`;
}

/** Which family a text is an address of; null where it is none. */
export function familyOf(address: string): Network['family'] | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** In the form of RFC 5952. */
function addressOf(bits: bigint, family: Network['family']): string {
  const [size, count] = family === 'ipv4' ? [8n, 4] : [16n, 8];
  const parts = Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(Number(size), bits >> (size * BigInt(count - 1 - index))),
  );
  if (family === 'ipv4') return parts.join('.');
  return urlAddress(parts.map((part) => part.toString(16)).join(':'));
}

function bitsOf({ family, address }: Network): bigint {
  if (family === 'ipv4') return address.split('.').reduce((bits, part) => (bits << 8n) + BigInt(part), 0n);
  return groupsOf(address).reduce((bits, group) => (bits << 16n) + BigInt(`0x${group}`), 0n);
}

/** The eight groups of hexadecimal digits of an IPv6 address, in whatever way it is written (RFC 4291 §2.2). */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail = ''] = urlAddress(address).split('::');
  const front = groupsIn(head);
  const back = groupsIn(tail);
  return [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
}

/** The URL standard has one form for each IPv6 address: the shortest, without IPv4 at its end. */
function urlAddress(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function groupsIn(part: string): readonly string[] {
  return part === '' ? [] : part.split(':');
}
