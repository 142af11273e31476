import { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

const LOOPBACK = new NetworkList(['127.0.0.0/8', '::1']);

/** Addresses other than loopback on which requests and signatures go over the network as they are. */
export function plainHosts({ tls, host, admin }: Pick<Settings, 'tls' | 'host' | 'admin'>): readonly string[] {
  if (tls !== null) return [];
  return [...new Set([host, ...(admin === null ? [] : [admin.host])])].filter((name) => !isLoopback(name));
}

/** Says in production, at whatever level is logged, that whoever is on the network can read and change what is signed. */
export function tellPlainHttp(
  settings: Pick<Settings, 'tls' | 'host' | 'admin' | 'production'>,
  log: ServiceLog,
): void {
  const hosts = plainHosts(settings);
  if (!settings.production || hosts.length === 0) return;
  log.error(
    'NOT ENCRYPTED: this service listens for HTTP on an address that others can reach; whoever is on the network can read and change what is signed. Set SIGNING_TLS_CERT_FILE and SIGNING_TLS_KEY_FILE, unless what stands in front of it on this machine encrypts.',
    { hosts },
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || LOOPBACK.includes(host);
}
