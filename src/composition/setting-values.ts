import { z } from 'zod';
import { AmbiguousNetworkError, NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import { PRIVATE_NETWORKS } from '../adapters/driving/http/networks/private-networks.ts';
import { parseRedisUrl } from '../redis/redis-address.ts';

/*
 * What the text of an environment variable may be, and what it means. The messages complete the sentence "SIGNING_… has to be".
 */

/** A whole number within these bounds. */
export function wholeNumber(least: number, most: number) {
  return numberThat((number) => number >= least && number <= most, `a whole number from ${least} to ${most}`);
}

/** 0, which means none, or a whole number within these bounds. */
export function zeroOrWholeNumber(least: number, most: number) {
  const fits = (number: number) => number === 0 || (number >= least && number <= most);
  return numberThat(fits, `0 or a whole number from ${least} to ${most}`);
}

/** Of at most 15 digits, each of which counts in a number of JavaScript. */
function numberThat(fits: (number: number) => boolean, wanted: string) {
  return z
    .string()
    .regex(/^\d{1,15}$/, wanted)
    .transform(Number)
    .refine(fits, wanted);
}

/** A share of something, from 0 to 1, as a decimal. */
export function share() {
  return z
    .string()
    .regex(/^(?:0|1|0?\.\d{1,6})$/, 'a share of the accounts from 0 to 1, such as 0.5')
    .transform(Number);
}

/** Where Redis is. The text itself is in no message: it may have a password in it. */
export function redisUrl() {
  return z.string().transform((text, context) => {
    const address = parseRedisUrl(text);
    if (address !== null) return address;
    const wanted =
      'redis://host:port, or rediss:// for TLS, with user:password@ before and /database behind where they are needed (in a password, characters other than letters, digits and -._~ percent-encoded)';
    context.addIssue({ code: 'custom', message: wanted });
    return z.NEVER;
  });
}

/** `true` or `false`. */
export function flag() {
  return z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true');
}

/** Networks in CIDR form or addresses, with commas between them; `private` stands for all networks that no public address is in. */
export function networks() {
  return z.string().transform((text, context) => {
    const names = text.split(',').map((name) => name.trim());
    try {
      return new NetworkList(names.flatMap((name) => (name === 'private' ? PRIVATE_NETWORKS : [name])));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue({ code: 'custom', message: networksWanted(error) });
      return z.NEVER;
    }
  });
}

function networksWanted(error: RangeError): string {
  if (!(error instanceof AmbiguousNetworkError)) {
    return 'networks such as 10.0.0.0/8, fd00::/8 or private, or addresses, with commas between them';
  }
  const { given, whole } = error;
  return `networks with no bit set behind their prefix: ${given.text} is either ${whole} or the address ${given.address}`;
}
