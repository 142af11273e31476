import type { NetworkList } from '../../adapters/driving/http/networks/network-list.ts';
import { type Finding, ok, warning } from '../../machine/finding.ts';
import type { Settings } from '../settings.ts';

const CHECK = 'callers';

/** Addresses of the public internet, one of each family (RFC 7535 §2, RFC 7534 §2): a list that has one of them is not of an internal network. */
const PUBLIC_ADDRESSES = ['192.175.48.1', '8.8.8.8', '2620:4f:8000::1', '2001:4860:4860::8888'];

/** Whether the settings let others call than the internal network, or let callers choose the address that they come from. */
export function checkCallers({ networks, tls, auth }: Settings): readonly Finding[] {
  const { allowed, trustedProxies } = networks;
  const findings: Finding[] = [];
  if (isPublic(allowed)) {
    findings.push(
      warning(
        CHECK,
        `SIGNING_ALLOWED_NETWORKS (${allowed.networks.join(', ')}) has addresses of the public internet`,
        'Name the networks that callers are in, or leave it out: then the private ones are served.',
      ),
    );
  }
  if (trustedProxies !== null && isPublic(trustedProxies)) {
    findings.push(
      warning(
        CHECK,
        `SIGNING_TRUSTED_PROXIES (${trustedProxies.networks.join(', ')}) has addresses of the public internet, whose X-Forwarded-For is believed`,
        'Name the addresses of the proxies alone: whoever is in this list can say that he comes from anywhere.',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [ok(CHECK, `from ${networksText(allowed)}, ${proofText(tls?.clients != null, auth.mode)}`)];
}

function isPublic(list: NetworkList): boolean {
  return PUBLIC_ADDRESSES.some((address) => list.includes(address));
}

function networksText({ networks }: NetworkList): string {
  return networks.length > 4 ? `${networks.length} networks` : networks.join(', ');
}

function proofText(hasCertificates: boolean, mode: Settings['auth']['mode']): string {
  const proofs = [
    ...(hasCertificates ? ['a client certificate'] : []),
    ...(mode === 'off' ? [] : [`an access token (${mode})`]),
  ];
  return proofs.length === 0 ? 'asked for no proof of who they are' : `asked for ${proofs.join(' and ')}`;
}
