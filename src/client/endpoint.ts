import { Agent, request } from 'node:http';
import { type AgentOptions, Agent as SecureAgent, request as secureRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { TlsOptions } from './client-options.ts';
import { type GivenText, readGiven } from './given-text.ts';

/** How connections to one address are made and kept. */
export interface ConnectionOptions {
  readonly maxConnections: number;
  readonly idleTimeoutMs: number;
  readonly tls: TlsOptions | undefined;
}

/** A listener of the service, and the connections to it. */
export class Endpoint {
  /** Whether TLS says who answers. */
  readonly isSecure: boolean;
  /** What goes before `/api/v1`. */
  readonly prefix: string;
  /** Where and over which connections a request goes, for {@link Endpoint.request}. */
  readonly route: { readonly host: string; readonly port: string; readonly agent: Agent };
  /** Node's function for the protocol. */
  readonly request: typeof request;

  /** A TypeError says what is wrong with the URL or the TLS options. */
  constructor(url: string, name: string, { maxConnections, idleTimeoutMs, tls }: ConnectionOptions) {
    if (!URL.canParse(url)) throw new TypeError(`${name} is no URL.`);
    const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`${name} has to begin with https or http.`);
    if (username !== '' || password !== '') throw new TypeError(`${name} holds a user or password; it takes none.`);
    if (search !== '' || hash !== '') throw new TypeError(`${name} has a query or fragment; it takes none.`);
    this.isSecure = protocol === 'https:';
    this.prefix = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
    this.request = this.isSecure ? secureRequest : request;
    // The timeout closes what is idle; Node takes the service's own hint where that is shorter.
    const kept = { keepAlive: true, maxSockets: maxConnections, timeout: idleTimeoutMs };
    const agent = this.isSecure ? new SecureAgent({ ...kept, ...agentTls(tls ?? {}) }) : new Agent(kept);
    this.route = { host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, port, agent };
  }

  /** Closes idle connections at once, and the others when their call is over. */
  close(): void {
    const { agent } = this.route;
    // Node looks at this member when a call gives its connection back.
    Object.assign(agent, { keepAlive: false });
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

function agentTls({ ca, cert, key, serverName }: TlsOptions): AgentOptions {
  if ((cert === undefined) !== (key === undefined)) throw new TypeError('tls.cert and tls.key go together.');
  const secrets = {
    ...(ca !== undefined && { ca: pemOf(ca, 'ca') }),
    ...(cert !== undefined && { cert: pemOf(cert, 'cert') }),
    ...(key !== undefined && { key: pemOf(key, 'key') }),
  };
  try {
    createSecureContext(secrets);
  } catch (cause) {
    throw new TypeError(`tls holds what OpenSSL does not take: ${cause instanceof Error ? cause.message : ''}`);
  }
  return { ...secrets, minVersion: 'TLSv1.2', ...(serverName !== undefined && { servername: serverName }) };
}

function pemOf(given: GivenText, name: string): string {
  const text = readGiven(given);
  if (text.includes('-----BEGIN ')) return text;
  throw new TypeError(`tls.${name} is no PEM; a file is given as { file: '…' }.`);
}
