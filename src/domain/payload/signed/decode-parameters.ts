import { MAX_SIGNED_LENGTH, MAX_SIGNED_VALUES, type Spellings, UniqueNames } from './signed-value.ts';

/**
 * How parameters stand in the signed text. `none`: they are signed before they are encoded, so that
 * every character stands for itself. But where a caller sends an `&` encoded, the venue takes what
 * follows for a part of the value before it: a parameter may be missing there, and the one before
 * it longer; all others have the value that stands here.
 */
export type ParameterEncoding = 'percent' | 'none';

/** Parameters by name, decoded. */
export type Parameters = ReadonlyMap<string, string>;

/** As URLs have it (RFC 3986 §3.4), and no JSON text. */
const ENCODED = /^[!$-&(-*,-:=?-Z_a-z~]*$/;

/**
 * Decodes `name=value&name=value`; an empty text has no parameters. Undefined for text on which
 * servers could disagree: a part without `=`, an empty name or one that is not {@link UniqueNames},
 * an invalid percent-encoding, characters that must be encoded, and `+` and `;`, which some
 * decode as a blank and `&`; also for more than {@link MAX_SIGNED_VALUES} or
 * {@link MAX_SIGNED_LENGTH}.
 */
export function decodeParameters(
  text: string,
  encoding: ParameterEncoding,
  spellings: Spellings,
): Parameters | undefined {
  const parameters = new Map<string, string>();
  if (text === '') return parameters;
  if (text.length > MAX_SIGNED_LENGTH) return undefined;
  const names = new UniqueNames(spellings);
  if (encoding === 'percent' && !ENCODED.test(text)) return undefined;
  const decode = encoding === 'none' ? asWritten : percentDecode;
  const pairs = text.split('&', MAX_SIGNED_VALUES + 1);
  if (pairs.length > MAX_SIGNED_VALUES) return undefined;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decode(pair.slice(0, Math.max(equals, 0)));
    const value = decode(pair.slice(equals + 1));
    if (name === undefined || name === '' || value === undefined || !names.add(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

function asWritten(text: string): string {
  return text;
}

function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
