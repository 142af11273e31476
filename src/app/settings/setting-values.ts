import { z } from 'zod';
import { AmbiguousNetworkError, NetworkList, PRIVATE_NETWORKS } from '../../adapters/http/callers/network-list.ts';
import { parseRedisUrl } from '../../adapters/redis/redis-address.ts';
import { IDENTIFIER_PATTERN } from '../../domain/model/account.ts';

/*
 * Parsers of environment variables. Each description completes "SIGNING_… must be", in errors and
 * docs/operators/configure.md.
 */

/** Any text: a path, an address. */
export function text() {
  return z.string();
}

/** An integer within bounds. */
export function wholeNumber(min: number, max: number) {
  return boundedNumber((number) => number >= min && number <= max, `an integer from ${min} to ${max}`);
}

/** 0 for none, or an integer within bounds. */
export function zeroOrWholeNumber(min: number, max: number) {
  const fits = (number: number) => number === 0 || (number >= min && number <= max);
  return boundedNumber(fits, `0 or an integer from ${min} to ${max}`);
}

/** At most 15 digits, which a double represents exactly. */
function boundedNumber(fits: (number: number) => boolean, wanted: string) {
  const digits = z.string().regex(/^\d{1,15}$/, wanted);
  return digits.transform(Number).refine(fits, wanted).describe(wanted);
}

/** A share from 0 to 1, as a decimal. */
export function fraction() {
  const wanted = 'a share of the accounts from 0 to 1, such as 0.5';
  const decimal = z.string().regex(/^(?:0|1|0?\.\d{1,6})$/, wanted);
  return decimal.transform(Number).describe(wanted);
}

/** `true` or `false`. */
export function flag() {
  const word = z.enum(['true', 'false'], 'true or false');
  return word.transform((given) => given === 'true').describe('true or false');
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[], wanted: string) {
  return z.enum(words, wanted).describe(wanted);
}

/** A name in records and among replicas. */
export function identifier() {
  const wanted = '1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit';
  return z.string().regex(IDENTIFIER_PATTERN, wanted).describe(wanted);
}

/** Address of Redis. Errors omit the text: it may contain a password. */
export function redisUrl() {
  const wanted =
    'redis://host:port, or rediss:// for TLS, with optional user:password@ and /database (in a password, characters other than letters, digits and -._~ percent-encoded)';
  const address = z.string().transform((url, context) => {
    const parsed = parseRedisUrl(url);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: wanted });
    return z.NEVER;
  });
  return address.describe(wanted);
}

/** Visible ASCII, for a header or path. */
export function headerText() {
  const wanted = 'a name of letters, digits and - _ . /';
  return z
    .string()
    .regex(/^[\w./-]{1,256}$/, wanted)
    .describe(wanted);
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Address of a service that handles keys: HTTPS, except on this machine. */
export function serviceUrl() {
  const wanted = 'an HTTPS URL without user, query or fragment (HTTP only for localhost, 127.0.0.1 and ::1)';
  const address = z.string().transform((given, context) => {
    const url = URL.canParse(given) ? new URL(given) : null;
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
    if (url !== null && isSafe && `${url.username}${url.password}${url.search}${url.hash}` === '') return url;
    context.addIssue({ code: 'custom', message: wanted });
    return z.NEVER;
  });
  return address.describe(wanted);
}

const NETWORKS = 'comma-separated networks or addresses, such as 10.0.0.0/8, fd00::/8 or private';

/** CIDR networks or addresses; `private` for all networks without public addresses. */
export function networks() {
  const list = z.string().transform((given, context) => {
    const names = given.split(',').map((name) => name.trim());
    try {
      return new NetworkList(names.flatMap((name) => (name === 'private' ? PRIVATE_NETWORKS : [name])));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = error instanceof AmbiguousNetworkError ? error.message : NETWORKS;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });
  return list.describe(NETWORKS);
}
