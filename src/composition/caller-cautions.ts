import type { Network } from '../adapters/driving/http/networks/network.ts';
import type { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import { isPrivate } from '../adapters/driving/http/networks/private-networks.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

/** Something to look at in whose calls are answered. */
export interface CallerCaution {
  /** What is so, and by which setting. */
  readonly message: string;
  /** What to do about it: one sentence. */
  readonly remedy: string;
}

/** Proxies are some machines beside each other: networks with shorter prefixes have others in them as well. */
const SHORTEST_PREFIX_OF_PROXIES: { readonly [family in Network['family']]: number } = { ipv4: 24, ipv6: 64 };

/** What operators should know of the networks that callers and proxies are taken from. */
export function callerCautions({ networks }: Pick<Settings, 'networks'>): readonly CallerCaution[] {
  const { allowed, trustedProxies } = networks;
  const isWide = ({ family, prefix }: Network) => prefix < SHORTEST_PREFIX_OF_PROXIES[family];
  const publicCallers = textOf(allowed, (network) => !isPrivate(network));
  const publicProxies = textOf(trustedProxies, (network) => !isPrivate(network));
  const wideProxies = textOf(trustedProxies, (network) => isPrivate(network) && isWide(network));
  return [
    ...when(publicCallers, {
      message: `SIGNING_ALLOWED_NETWORKS (${publicCallers}) has addresses outside the private networks, perhaps of the public internet`,
      remedy: 'Name the networks that callers are in, or leave it out: then the private ones are served.',
    }),
    ...when(publicProxies, {
      message: `SIGNING_TRUSTED_PROXIES (${publicProxies}) has addresses outside the private networks, perhaps of the public internet, whose X-Forwarded-For is believed`,
      remedy: PROXIES_ALONE,
    }),
    ...when(wideProxies, {
      message: `SIGNING_TRUSTED_PROXIES (${wideProxies}) has more than proxies in it (IPv4 wider than /24, IPv6 wider than /64): any caller there chooses the address by which it is let in, limited and recorded`,
      remedy: PROXIES_ALONE,
    }),
  ];
}

const PROXIES_ALONE =
  'Name the addresses of the proxies alone: whoever is in this list can say that he comes from anywhere.';

/** Says at the start, once for each, what operators should know of it. */
export function tellCallerCautions(settings: Pick<Settings, 'networks'>, log: Pick<ServiceLog, 'warn'>): void {
  for (const { message, remedy } of callerCautions(settings)) log.warn(`${message}. ${remedy}`);
}

function textOf(list: NetworkList | null, isMeant: (network: Network) => boolean): string {
  const meant = list?.parts.filter(isMeant) ?? [];
  return meant.map(({ text }) => text).join(', ');
}

function when(networks: string, caution: CallerCaution): readonly CallerCaution[] {
  return networks === '' ? [] : [caution];
}
