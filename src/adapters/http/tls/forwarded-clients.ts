import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { WallClock } from '../../../ports/clock.ts';
import type { NetworkList } from '../callers/network-list.ts';
import type { ForwardedCertificatesReport } from '../schemas/status-responses.ts';
import { ClientIssuers, findPathProblem, type IssuedCertificate } from './client-issuers.ts';
import { type ClientIdentity, type ClientTrust, identifyHolder } from './client-trust.ts';
import type { ClientTrustFiles } from './client-trust-files.ts';
import {
  type CertificateHeader,
  getForwardedText,
  readCertificate,
  readForwardedCertificate,
} from './forwarded-certificate.ts';

/** Dependencies of {@link ForwardedClients}. */
export interface ForwardedClientsDependencies {
  readonly header: CertificateHeader;
  /** The authorities and fingerprints that direct connections are checked by, too. */
  readonly trust: ClientTrust;
  /** Only these addresses may forward certificates. */
  readonly proxies: NetworkList;
  readonly clock: WallClock;
}

/** The result for a certificate while the files don't change. */
interface Verdict {
  readonly identity: ClientIdentity;
  /** The certificate, whose dates are checked for each request; null if it is rejected anyway. */
  readonly issued: IssuedCertificate | null;
}

/** Verdicts in memory, the newest: callers could send any number of certificates. */
const MAX_VERDICTS = 1024;

const MISSING: ClientIdentity = { error: 'FORWARDED_CERTIFICATE_MISSING' };
const MALFORMED: Verdict = { identity: { error: 'FORWARDED_CERTIFICATE_MALFORMED' }, issued: null };

/**
 * Client certificates that trusted proxies forward in a header (RFC 9440). The proxy has verified
 * that the client has the key, and what {@link ClientIssuers} leaves to its handshake. The rest is
 * verified here for each request, by the same rules as for direct connections.
 */
export class ForwardedClients {
  readonly header: CertificateHeader;
  readonly trust: ClientTrust;
  readonly #proxies: NetworkList;
  readonly #clock: WallClock;
  #verdicts = new Map<string, Verdict>();
  /** The files on which the verdicts are based. */
  #files: ClientTrustFiles | null = null;
  #issuers = new ClientIssuers([]);

  constructor({ header, trust, proxies, clock }: ForwardedClientsDependencies) {
    this.header = header;
    this.trust = trust;
    this.#proxies = proxies;
    this.#clock = clock;
  }

  /** Whether a connection is a trusted proxy's; the certificate header of others is ignored. */
  isProxy({ remoteAddress }: Socket): boolean {
    return remoteAddress !== undefined && this.#proxies.includes(remoteAddress);
  }

  /**
   * The caller of a trusted proxy's request. Over HTTPS the proxy needs a valid client certificate
   * as well, whose name is not used.
   */
  identify({ socket, headers }: IncomingMessage): ClientIdentity {
    if (socket instanceof TLSSocket) {
      const proxy = this.trust.identify(socket);
      if ('error' in proxy) return { error: 'PROXY_CERTIFICATE_REFUSED', problem: proxy.problem ?? proxy.error };
    }
    const text = getForwardedText(headers, this.header);
    if (text === null) return MISSING;
    const { identity, issued } = this.#judge(text);
    const problem = issued === null ? null : findPathProblem(issued, this.#clock.now());
    return problem === null ? identity : untrusted(problem);
  }

  /** For status. */
  report(): ForwardedCertificatesReport {
    return { header: this.header, ...this.trust.report() };
  }

  #judge(text: string): Verdict {
    this.#followFiles();
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = this.#verify(text);
    for (const oldest of this.#verdicts.keys()) {
      if (this.#verdicts.size < MAX_VERDICTS) break;
      this.#verdicts.delete(oldest);
    }
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  /** Discards the verdicts after a reload. */
  #followFiles(): void {
    const { current } = this.trust;
    if (current === this.#files) return;
    this.#files = current;
    this.#verdicts = new Map();
    // One with a kind of key that Node does not know issues nothing here.
    this.#issuers = new ClientIssuers(current.authorities.flatMap(({ raw }) => readCertificate(raw) ?? []));
  }

  #verify(text: string): Verdict {
    const certificate = readForwardedCertificate(this.header, text);
    if (certificate === null) return MALFORMED;
    const issued = this.#issuers.check(certificate);
    if (typeof issued === 'string') return { identity: untrusted(issued), issued: null };
    return { identity: identifyHolder(certificate, this.trust.current), issued };
  }
}

function untrusted(problem: string): ClientIdentity {
  return { error: 'CLIENT_CERTIFICATE_UNTRUSTED', problem };
}
