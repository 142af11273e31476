import { BlockList, isIP, SocketAddress } from 'node:net';
import { askedOnce } from './asked-once.ts';

/** A network in CIDR form (RFC 4632 §3.1, RFC 4291 §2.3), or one address: `10.0.0.0/8`, `fd00::/8`, `192.0.2.7`. */
const NETWORK = /^([0-9a-fA-F.:]{2,45})(?:\/(\d{1,3}))?$/;

const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 } as const;

const IPV4_MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** IPv4 in IPv6 form (RFC 4291 §2.5.5.2), in whatever way it is written. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** Networks, as a set of addresses. IPv4 in IPv6 form (`::ffff:10.0.0.1`) is IPv4; no network of IPv6 has addresses of IPv4 in it. */
export class NetworkList {
  /** Apart, since Node's list takes IPv4 for a part of `::/0`. */
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() } as const;
  /** As they were given. */
  readonly networks: readonly string[];
  /** The lists never change once this was made. */
  readonly #find = askedOnce((address) => this.#has(plainAddress(address)));

  /** @throws RangeError that names the first text that is no network */
  constructor(networks: readonly string[]) {
    this.networks = networks;
    for (const network of networks) this.#add(network);
  }

  /** Whether an address is in one of the networks; false for a text that is no address. */
  includes(address: string): boolean {
    return this.#find(address);
  }

  #has(plain: string): boolean {
    const family = familyOf(plain);
    return family !== null && this.#lists[family].check(plain, family);
  }

  #add(network: string): void {
    const [, address = '', prefix] = NETWORK.exec(network) ?? [];
    const family = familyOf(address);
    const length = family === null ? -1 : Number(prefix ?? LONGEST_PREFIX[family]);
    const isNone = family === null || length > LONGEST_PREFIX[family];
    if (isNone || isMapped(address)) throw new RangeError(`${network} is no network.`);
    this.#lists[family].addSubnet(address, length, family);
  }
}

/** An address in the form in which it is shown and compared: IPv4 never in IPv6 form. */
export const plainAddress: (address: string) => string = askedOnce((address) =>
  isMapped(address) ? new SocketAddress({ address, family: 'ipv6' }).address.replace(IPV4_MAPPED, '') : address,
);

function isMapped(address: string): boolean {
  return isIP(address) === 6 && MAPPED.check(address, 'ipv6');
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 0) return null;
  return version === 4 ? 'ipv4' : 'ipv6';
}
