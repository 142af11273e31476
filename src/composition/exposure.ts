import type { Network } from '../adapters/driving/http/networks/network.ts';
import { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import { isPrivate } from '../adapters/driving/http/networks/private-networks.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

/** A warning about who can reach the service. */
export interface ExposureWarning {
  /** What is so, and by which setting. */
  readonly message: string;
  /** What to do about it: one sentence. */
  readonly remedy: string;
}

const LOOPBACK = new NetworkList(['127.0.0.0/8', '::1']);

/** Proxies are a few machines: networks with shorter prefixes contain others as well. */
const MIN_PROXY_PREFIX: { readonly [family in Network['family']]: number } = { ipv4: 24, ipv6: 64 };

const PROXIES_ALONE =
  'Name the addresses of the proxies alone: whoever is in this list can say that he comes from anywhere.';

/** Warns at the start of unencrypted requests on the network, and of callers from outside. */
export function logExposure(settings: Settings, log: ServiceLog): void {
  logPlainHttp(settings, log);
  for (const { message, remedy } of callerWarnings(settings)) log.warn(`${message}. ${remedy}`);
}

/** Addresses other than loopback on which requests and signatures cross the network unencrypted. */
export function plainHosts({ tls, host, admin }: Settings): readonly string[] {
  if (tls !== null) return [];
  const hosts = new Set([host, ...(admin === null ? [] : [admin.host])]);
  return [...hosts].filter((name) => name !== 'localhost' && !LOOPBACK.includes(name));
}

/** Warnings about the networks that callers and proxies are accepted from. */
export function callerWarnings({ networks }: Settings): readonly ExposureWarning[] {
  const { allowed, trustedProxies } = networks;
  const isWide = ({ family, prefix }: Network) => prefix < MIN_PROXY_PREFIX[family];
  const publicCallers = textOf(allowed, (network) => !isPrivate(network));
  const publicProxies = textOf(trustedProxies, (network) => !isPrivate(network));
  const wideProxies = textOf(trustedProxies, (network) => isPrivate(network) && isWide(network));
  return [
    ...warnIf(publicCallers, {
      message: `SIGNING_ALLOWED_NETWORKS (${publicCallers}) has addresses outside the private networks, perhaps of the public internet`,
      remedy: 'Name the networks that callers are in, or leave it out: then the private ones are served.',
    }),
    ...warnIf(publicProxies, {
      message: `SIGNING_TRUSTED_PROXIES (${publicProxies}) has addresses outside the private networks, perhaps of the public internet, whose X-Forwarded-For is believed`,
      remedy: PROXIES_ALONE,
    }),
    ...warnIf(wideProxies, {
      message: `SIGNING_TRUSTED_PROXIES (${wideProxies}) has more than proxies in it (IPv4 wider than /24, IPv6 wider than /64): any caller there chooses the address by which it is let in, limited and recorded`,
      remedy: PROXIES_ALONE,
    }),
  ];
}

/** In production, at every log level. */
function logPlainHttp(settings: Settings, log: ServiceLog): void {
  const hosts = plainHosts(settings);
  if (!settings.production || hosts.length === 0) return;
  log.error(
    'NOT ENCRYPTED: this service listens for HTTP on an address that others can reach; whoever is on the network can read and change what is signed. Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless what stands in front of it on this machine encrypts.',
    { hosts },
  );
}

function textOf(list: NetworkList | null, isMeant: (network: Network) => boolean): string {
  const meant = list?.parts.filter(isMeant) ?? [];
  return meant.map(({ text }) => text).join(', ');
}

function warnIf(networks: string, warning: ExposureWarning): readonly ExposureWarning[] {
  return networks === '' ? [] : [warning];
}
