import { isPrivate, type Network, NetworkList } from '../../adapters/http/callers/network-list.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Settings } from './settings.ts';

/** A warning about settings, permissions or policies that are valid. */
export interface ConfigurationWarning {
  /** The finding: a clause or sentence. */
  readonly message: string;
  /** What to do: one sentence. */
  readonly remedy: string;
}

/** Names in one warning. */
const MAX_NAMED = 20;

/** A list of names, not too long for a message. */
export function listNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

const LOOPBACK = new NetworkList(['127.0.0.0/8', '::1']);

/** Proxies are few: a shorter prefix includes other machines. */
const MIN_PROXY_PREFIX = { ipv4: 24, ipv6: 64 } as const;

const PROXIES_ALONE = 'List only the addresses of the proxies: any client in this list can claim any address.';

/** Logs unencrypted listeners, in production at every log level, and external callers at the start. */
export function logExposure(settings: Settings, log: ServiceLog): void {
  const hosts = settings.production ? listPlaintextHosts(settings) : [];
  if (hosts.length > 0) {
    log.error(
      'NOT ENCRYPTED: this service listens for HTTP on an address that others can reach; anyone on the network can read and change requests. Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless a proxy on this machine encrypts.',
      { hosts },
    );
  }
  for (const { message, remedy } of callerWarnings(settings)) log.warn(`${message}. ${remedy}`);
}

/** Addresses other than loopback that are served without TLS. */
export function listPlaintextHosts({ tls, host, admin }: Settings): readonly string[] {
  if (tls !== null) return [];
  const hosts = new Set([host, admin?.host ?? host]);
  return [...hosts].filter((name) => name !== 'localhost' && !LOOPBACK.includes(name));
}

/** Warnings about the allowed networks and trusted proxies. */
export function callerWarnings(settings: Settings): readonly ConfigurationWarning[] {
  const { allowedNetworks, trustedProxies, forwardedCertificates } = settings;
  const isWide = ({ address, prefix }: Network) => prefix < MIN_PROXY_PREFIX[address.kind()];
  const claims = forwardedCertificates === null ? 'X-Forwarded-For is' : 'X-Forwarded-For and client certificate are';
  const chosen = forwardedCertificates === null ? '' : ', and the client certificate by which it is named';
  const publicCallers = formatNetworks(allowedNetworks, (network) => !isPrivate(network));
  const publicProxies = formatNetworks(trustedProxies, (network) => !isPrivate(network));
  const wideProxies = formatNetworks(trustedProxies, (network) => isPrivate(network) && isWide(network));
  const warnings = [
    {
      networks: publicCallers,
      message: `SIGNING_ALLOWED_NETWORKS (${publicCallers}) has addresses outside the private networks, perhaps on the public internet`,
      remedy: 'List the networks of the callers, or remove the setting to serve private networks.',
    },
    {
      networks: publicProxies,
      message: `SIGNING_TRUSTED_PROXIES (${publicProxies}) has addresses outside the private networks, perhaps on the public internet, whose ${claims} trusted`,
      remedy: PROXIES_ALONE,
    },
    {
      networks: wideProxies,
      message: `SIGNING_TRUSTED_PROXIES (${wideProxies}) is wider than proxies need (IPv4 wider than /24, IPv6 wider than /64): any caller there can choose the address by which it is admitted, limited and recorded${chosen}`,
      remedy: PROXIES_ALONE,
    },
  ];
  return warnings.filter(({ networks }) => networks !== '');
}

function formatNetworks(list: NetworkList | null, isIncluded: (network: Network) => boolean): string {
  const included = list?.parts.filter(isIncluded) ?? [];
  return included.map(({ text }) => text).join(', ');
}

/** Whether any setting authenticates callers. */
export function identifiesCallers({ tls, forwardedCertificates, auth }: Settings): boolean {
  return auth.mode !== 'off' || (tls !== null && tls.clients !== null) || forwardedCertificates !== null;
}
