import { AmbiguousNetworkError, NetworkList, PRIVATE_NETWORKS } from '../../adapters/http/callers/network-list.ts';
import { parseRedisUrl } from '../../adapters/redis/redis-address.ts';
import { IDENTIFIER_PATTERN } from '../../domain/model/account.ts';

/** How to read the text of an environment variable. */
export interface ValueFormat<Value> {
  /** The valid texts; completes "SIGNING_… must be", in errors and docs/operators/configure.md. */
  readonly wanted: string;
  /** @throws RangeError with what is wanted, without the text: it may be a misplaced secret */
  parse(text: string): Value;
}

/** @param parse null for invalid text */
function format<Value>(wanted: string, parse: (text: string) => Value | null): ValueFormat<Value> {
  return {
    wanted,
    parse: (text) => {
      const value = parse(text);
      if (value === null) throw new RangeError(wanted);
      return value;
    },
  };
}

/** Text that matches as it is. */
function matching(wanted: string, pattern: RegExp): ValueFormat<string> {
  return format(wanted, (text) => (pattern.test(text) ? text : null));
}

/** An integer within bounds. */
export function wholeNumber(min: number, max: number) {
  return format(`an integer from ${min} to ${max}`, (text) => toNumberWithin(text, min, max));
}

/** 0 for none, or an integer within bounds. */
export function zeroOrWholeNumber(min: number, max: number) {
  return format(`0 or an integer from ${min} to ${max}`, (text) => (text === '0' ? 0 : toNumberWithin(text, min, max)));
}

/** At most 15 digits, which a double represents exactly. */
function toNumberWithin(text: string, min: number, max: number): number | null {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : null;
}

/** A share from 0 to 1, as a decimal. */
export const fraction = format('a share of the accounts from 0 to 1, such as 0.5', (text) =>
  /^(?:0|1|0?\.\d{1,6})$/.test(text) ? Number(text) : null,
);

/** `true` or `false`. */
export const flag = format('true or false', (text) => (text === 'true' || text === 'false' ? text === 'true' : null));

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]) {
  return format(
    `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    (text) => words.find((word) => word === text) ?? null,
  );
}

/** A name in records and among replicas. */
export const identifier = matching(
  '1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit',
  IDENTIFIER_PATTERN,
);

/** Visible ASCII, for a header or path. */
export const headerText = matching('a name of letters, digits and - _ . /', /^[\w./-]{1,256}$/);

/** Address of Redis. */
export const redisUrl = format(
  'redis://host:port, or rediss:// for TLS, with optional user:password@ and /database (in a password, characters other than letters, digits and -._~ percent-encoded)',
  parseRedisUrl,
);

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Address of a service that handles keys: HTTPS, except on this machine. */
export const serviceUrl = format(
  'an HTTPS URL without user, query or fragment (HTTP only for localhost, 127.0.0.1 and ::1)',
  (text) => {
    if (!URL.canParse(text)) return null;
    const { protocol, hostname, username, password, search, hash, href } = new URL(text);
    const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
    return isSafe && `${username}${password}${search}${hash}` === '' ? href : null;
  },
);

/** CIDR networks or addresses; `private` for all networks without public addresses. */
export const networks = format(
  'comma-separated networks or addresses, such as 10.0.0.0/8, fd00::/8 or private',
  (text) => {
    const names = text.split(',').map((name) => name.trim());
    try {
      return new NetworkList(names.flatMap((name) => (name === 'private' ? PRIVATE_NETWORKS : [name])));
    } catch (error) {
      // Another RangeError has the text.
      if (error instanceof AmbiguousNetworkError || !(error instanceof RangeError)) throw error;
      return null;
    }
  },
);
