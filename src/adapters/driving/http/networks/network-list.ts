import { BlockList, isIP, SocketAddress } from 'node:net';
import { askedOnce } from './asked-once.ts';
import { familyOf, type Network, parseNetwork, wholeNetwork } from './network.ts';

const IPV4_MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** IPv4 in IPv6 form (RFC 4291 §2.5.5.2), in whatever way it is written. */
const MAPPED = new BlockList();
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6');

/** A text names a network and one address in it, `10.0.0.5/8`: which of the two was meant is unknown. */
export class AmbiguousNetworkError extends RangeError {
  override readonly name = 'AmbiguousNetworkError';
  readonly given: Network;
  /** As `given` should be written: `10.0.0.0/8`. */
  readonly whole: string;

  constructor(given: Network, whole: string) {
    super(`${given.text} is no network; ${whole} is.`);
    this.given = given;
    this.whole = whole;
  }
}

/** Networks, as a set of addresses. IPv4 in IPv6 form (`::ffff:10.0.0.1`) is IPv4; no network of IPv6 has addresses of IPv4 in it. */
export class NetworkList {
  /** Apart, since Node's list takes IPv4 for a part of `::/0`. */
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() } as const;
  /** As they were given. */
  readonly networks: readonly string[];
  /** The same, read. */
  readonly parts: readonly Network[];
  /** The lists never change once this was made. */
  readonly #find = askedOnce((address) => this.#has(plainAddress(address)));

  /** @throws RangeError that names the first text that is no network, {@link AmbiguousNetworkError} among them */
  constructor(networks: readonly string[]) {
    this.networks = networks;
    this.parts = networks.map(readNetwork);
    for (const part of this.parts) this.#add(part);
  }

  /** Whether an address is in one of the networks; false for a text that is no address. */
  includes(address: string): boolean {
    return this.#find(address);
  }

  #has(plain: string): boolean {
    const family = familyOf(plain);
    return family !== null && this.#lists[family].check(plain, family);
  }

  #add({ family, address, prefix }: Network): void {
    this.#lists[family].addSubnet(address, prefix, family);
  }
}

function readNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (network === null || isMapped(network.address)) throw new RangeError(`${text} is no network.`);
  const whole = wholeNetwork(network);
  if (whole !== null) throw new AmbiguousNetworkError(network, whole);
  return network;
}

/** An address in the form in which it is shown and compared: IPv4 never in IPv6 form. */
export const plainAddress: (address: string) => string = askedOnce((address) =>
  isMapped(address) ? new SocketAddress({ address, family: 'ipv6' }).address.replace(IPV4_MAPPED, '') : address,
);

function isMapped(address: string): boolean {
  return isIP(address) === 6 && MAPPED.check(address, 'ipv6');
}
