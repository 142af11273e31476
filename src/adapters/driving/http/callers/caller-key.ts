import { isIPv6 } from 'node:net';
import type { CallContext } from '../../../../domain/model/sign-request.ts';

/** Groups of 16 bits of an IPv6 address that name its network. */
const NETWORK_GROUPS = 4;

/** In whose name a call is counted: its principal's, where there is one, else its address's. */
export function callerKey({ principal, remoteAddress }: Pick<CallContext, 'principal' | 'remoteAddress'>): string {
  return principal === null ? addressKey(remoteAddress) : `principal:${principal}`;
}

/**
 * In whose name an address is counted: its own in IPv4, its /64's in IPv6. A host is given a whole /64 as a rule and takes any address of it (RFC 4862, RFC 8981), so that one address is nobody's name there. Null is that of a
 * connection that was gone before it could be asked.
 */
export function addressKey(remoteAddress: string | null): string {
  const address = remoteAddress ?? '';
  return `address:${isIPv6(address) ? networkOf(address) : address}`;
}

function networkOf(address: string): string {
  // A URL writes the address in its one canonical form (RFC 5952), and knows no zone (`%eth0`).
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const network = [...first, ...zeros, ...last].slice(0, NETWORK_GROUPS);
  return `${network.join(':')}::/64`;
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}
