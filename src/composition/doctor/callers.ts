import type { NetworkList } from '../../adapters/driving/http/networks/network-list.ts';
import { type Finding, ok, warning } from '../../machine/finding.ts';
import { callerWarnings } from '../exposure.ts';
import type { Settings } from '../settings.ts';

const CHECK = 'callers';

/** Whether the settings let others call than the internal network, or let callers choose the address that they come from. */
export function checkCallers(settings: Settings): readonly Finding[] {
  const { networks, tls, auth } = settings;
  const warnings = callerWarnings(settings);
  if (warnings.length > 0) return warnings.map(({ message, remedy }) => warning(CHECK, message, remedy));
  const { allowed, trustedProxies } = networks;
  const proxies = trustedProxies === null ? '' : `, or through the proxies ${networksText(trustedProxies)}`;
  return [ok(CHECK, `from ${networksText(allowed)}${proxies}, ${proofText(tls?.clients != null, auth.mode)}`)];
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
