import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { memoizeRecent } from '../../../domain/model/memoize.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR form (RFC 4632 §3.1, RFC 4291 §2.3), or one address. */
export interface Network {
  /** As configured. */
  readonly text: string;
  readonly address: Address;
  /** Prefix length in bits. */
  readonly prefix: number;
}

/** `10.0.0.0/8`, `fd00::/8`, or one address: `192.0.2.7`. */
const NETWORK = /^([^/%]+)(?:\/(\d{1,3}))?$/;

/** A network with host bits set, `10.0.0.5/8`: the intent is unclear. */
export class AmbiguousNetworkError extends RangeError {
  override readonly name = 'AmbiguousNetworkError';
}

/** A set of networks. IPv4-mapped IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export class NetworkList {
  /** As configured. */
  readonly networks: readonly string[];
  /** The same, parsed. */
  readonly parts: readonly Network[];

  /**
   * @throws RangeError that names the first invalid network; {@link AmbiguousNetworkError} also
   * says what may have been meant
   */
  constructor(networks: readonly string[]) {
    this.networks = networks;
    this.parts = networks.map(parseNetwork);
  }

  /** Whether a network contains the address; false for invalid text. */
  includes(text: string): boolean {
    const address = parseAddress(text);
    return address !== null && this.parts.some((network) => contains(network, address));
  }
}

/**
 * An address without its zone (`%eth0`), which is local to a host. IPv4-mapped IPv6 (RFC 4291
 * §2.5.5.2) is IPv4. Null for other text, such as `127.1`.
 */
export function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : readAddress(text.replace(/%.*/, ''));
}

/** Few addresses send many requests. */
const readAddress = memoizeRecent(
  // ipaddr.js cannot read all IPv6 addresses with IPv4 at the end.
  (text: string) => ipaddr.process(isIP(text) === 4 ? text : canonicalizeIpv6(text)),
  copyText,
);

/** URLs have the form of RFC 5952, without IPv4 at the end. */
function canonicalizeIpv6(text: string): string {
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** The text of an address in records and limits: IPv4 never in IPv6 form. A copy. */
export function normalizeAddress(text: string): string {
  const address = parseAddress(text);
  return address?.kind() === 'ipv4' ? address.toString() : copyText(text);
}

/** A slice would keep the header that it is from in memory. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}

function parseNetwork(text: string): Network {
  const [, given = '', length] = NETWORK.exec(text) ?? [];
  const address = parseAddress(given);
  const bits = isIP(given) === 4 ? 32 : 128;
  const prefix = Number(length ?? bits);
  // IPv4 in IPv6 form has prefixes of two kinds.
  if (address === null || address.kind() !== `ipv${isIP(given)}` || prefix > bits) {
    throw new RangeError(`${text} is not a network.`);
  }
  const whole = networkAddress(address, prefix);
  if (!contains({ address: whole, prefix: bits }, address)) {
    const first = bits === 32 ? whole.toString() : canonicalizeIpv6(whole.toString());
    throw new AmbiguousNetworkError(
      `networks without host bits: ${text} is either ${first}/${prefix} or the address ${given}`,
    );
  }
  return { text, address, prefix };
}

function networkAddress(address: Address, prefix: number): Address {
  const bytes = address.toByteArray();
  // Each byte keeps the bits of the prefix that reach it, 0 to 8.
  return ipaddr.fromByteArray(bytes.map((byte, at) => byte & (0xff00 >> Math.min(Math.max(prefix - 8 * at, 0), 8))));
}

function contains({ address: first, prefix }: Omit<Network, 'text'>, address: Address): boolean {
  // The two classes have the same method, which compares addresses of one kind.
  return first.kind() === address.kind() && (address as ipaddr.IPv6).match(first as ipaddr.IPv6, prefix);
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

const PRIVATE = PRIVATE_NETWORKS.map(parseNetwork);

/** Whether a network has no public addresses. */
export function isPrivate({ address, prefix }: Network): boolean {
  return PRIVATE.some((outer) => prefix >= outer.prefix && contains(outer, address));
}
