import { isDeepStrictEqual } from 'node:util';
import type { WrittenRequest } from '../../src/domain/model/send.ts';
import { decodeText, parseJson, splitUrl } from './sent-text.ts';
import type { SentRequest } from './template-reader.ts';

/**
 * What differs between a request as the service writes it, and as a client sent it: none of method,
 * URL, body and the headers that are written. Other headers of the client are its own.
 *
 * @param own what replaces the names in `missing`; `query`: what is not signed, behind the URL
 */
export function listDifferences(
  written: WrittenRequest,
  sent: SentRequest,
  own: { readonly [name: string]: string },
): readonly string[] {
  const fill = (text: string, encode: (value: string) => string) =>
    written.missing.reduce((filled, name) => filled.replaceAll(`{${name}}`, encode(own[name] ?? `{${name}}`)), text);
  const toJsonText = (value: string) => JSON.stringify(value).slice(1, -1);
  if ('message' in written) {
    return compareBodies(fill(written.message, toJsonText), sent.body).map((how) => `message: ${how}`);
  }
  const isJson = written.headers['Content-Type'] === 'application/json' && written.body !== '{body}';
  const url = fill(written.url, encodeURIComponent) + (own['query'] === undefined ? '' : `?${own['query']}`);
  const body = fill(written.body ?? '', isJson ? toJsonText : (value) => value);
  const headers = Object.entries(written.headers).filter(([name, value]) => {
    const theirs = sent.headers[name.toLowerCase()];
    if (name !== 'Content-Type') return theirs !== fill(value, (text) => text);
    // Some clients leave it to their HTTP client.
    return theirs !== undefined && theirs.split(';')[0] !== value && written.body !== '{body}';
  });
  const [ours, theirs] = [splitUrl(url), splitUrl(sent.url)];
  const differs = [
    ...(written.method === sent.method ? [] : ['method']),
    ...(ours.base === theirs.base ? [] : ['URL']),
    ...headers.map(([name]) => `header ${name}`),
  ];
  const isMoved = ours.query !== theirs.query && body !== sent.body;
  if (isMoved && compareParameters(ours.query + body, theirs.query + sent.body).length === 0) {
    return [...differs, 'parameters in another place'];
  }
  return [
    ...differs,
    ...compareParameters(ours.query, theirs.query).map((how) => `query: ${how}`),
    ...compareBodies(body, sent.body).map((how) => `body: ${how}`),
  ];
}

function compareBodies(ours: string, theirs: string): readonly string[] {
  if (ours === theirs) return [];
  const [own, other] = [ours, theirs].map(parseJson);
  if (own === undefined || other === undefined) return compareParameters(ours, theirs);
  return listMembers(own, other);
}

/** Names of the innermost members that differ. */
function listMembers(ours: unknown, theirs: unknown): readonly string[] {
  if (!isObject(ours) || !isObject(theirs)) return isDeepStrictEqual(ours, theirs) ? [] : ['content'];
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return names
    .filter((name) => !isDeepStrictEqual(ours[name], theirs[name]))
    .flatMap((name) =>
      isObject(ours[name]) && isObject(theirs[name]) ? listMembers(ours[name], theirs[name]) : [name],
    );
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

function compareParameters(ours: string, theirs: string): readonly string[] {
  if (ours === theirs) return [];
  const [own = [], other = []] = [ours, theirs].map((text) => text.split('&'));
  if (isDeepStrictEqual(own.toSorted(), other.toSorted())) return ['order'];
  const [ownPairs, otherPairs] = [own, other].map((pairs) => pairs.map(decodeText));
  if (isDeepStrictEqual(ownPairs, otherPairs)) return ['spelling'];
  return isDeepStrictEqual(ownPairs?.toSorted(), otherPairs?.toSorted()) ? ['order', 'spelling'] : ['content'];
}
