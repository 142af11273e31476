import { BlockList, isIP, SocketAddress } from 'node:net';
import { memoizeRecent } from '../../../domain/model/memoize.ts';
import { getFamily, type Network, networkAddress, parseNetwork } from './network.ts';

/**
 * The longest address (RFC 4291 §2.2, IPv4 at its end); callers may send thousands of characters.
 */
const MAX_ADDRESS_LENGTH = 45;

/**
 * Memoizes by address, which Node parses on each call; longer texts are not cached.
 * @param compute must depend on the address only
 */
export function memoizeByAddress<Result extends string | boolean>(
  compute: (address: string) => Result,
): (address: string) => Result {
  const memoized = memoizeRecent(compute, detach);
  return (address) => (address.length > MAX_ADDRESS_LENGTH ? compute(address) : memoized(address));
}

/** A substring of a header would keep the whole header in memory. */
function detach(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

const IPV4_MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** IPv4-mapped IPv6 (RFC 4291 §2.5.5.2), in any notation. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** A network with host bits set, `10.0.0.5/8`: the intent is unclear. */
export class AmbiguousNetworkError extends RangeError {
  override readonly name = 'AmbiguousNetworkError';
  readonly given: Network;
  /** The network address of `given`: `10.0.0.0/8`. */
  readonly whole: string;

  constructor(given: Network, whole: string) {
    super(`${given.text} is not a network address; use ${whole}.`);
    this.given = given;
    this.whole = whole;
  }
}

/** A set of networks. IPv4-mapped IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export class NetworkList {
  /** Separate, since Node's BlockList matches IPv4 against `::/0`. */
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() } as const;
  /** As configured. */
  readonly networks: readonly string[];
  /** The same, parsed. */
  readonly parts: readonly Network[];
  /** The lists don't change after construction. */
  readonly #find = memoizeByAddress((address) => this.#has(normalizeAddress(address)));

  /**
   * @throws RangeError that names the first invalid network, also as {@link AmbiguousNetworkError}
   */
  constructor(networks: readonly string[]) {
    this.networks = networks;
    this.parts = networks.map(parseStrictly);
    for (const part of this.parts) this.#add(part);
  }

  /** Whether a network contains the address; false for invalid text. */
  includes(address: string): boolean {
    return this.#find(address);
  }

  #has(normalized: string): boolean {
    const family = getFamily(normalized);
    return family !== null && this.#lists[family].check(normalized, family);
  }

  #add({ family, address, prefix }: Network): void {
    this.#lists[family].addSubnet(address, prefix, family);
  }
}

function parseStrictly(text: string): Network {
  const network = parseNetwork(text);
  if (network === null || isMapped(network.address)) throw new RangeError(`${text} is not a network.`);
  const whole = networkAddress(network);
  if (whole !== null) throw new AmbiguousNetworkError(network, whole);
  return network;
}

/** The normalised address: IPv4 never in IPv6 form. */
export const normalizeAddress: (address: string) => string = memoizeByAddress((address) =>
  isMapped(address) ? new SocketAddress({ address, family: 'ipv6' }).address.replace(IPV4_MAPPED, '') : address,
);

function isMapped(address: string): boolean {
  return isIP(address) === 6 && MAPPED.check(address, 'ipv6');
}

/** Allowed client networks and trusted proxies. */
export interface ServedNetworks {
  readonly allowed: NetworkList;
  /** Proxies whose `X-Forwarded-For` is trusted; null for none. */
  readonly trustedProxies: NetworkList | null;
}

/**
 * Whether a peer is an allowed caller or a trusted proxy.
 * @param address of the peer; undefined if the connection is gone
 */
export function isAllowedPeer(address: string | undefined, { allowed, trustedProxies }: ServedNetworks): boolean {
  if (address === undefined) return false;
  return allowed.includes(address) || trustedProxies?.includes(address) === true;
}
