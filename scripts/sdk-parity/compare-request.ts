import { isDeepStrictEqual } from 'node:util';
import { fillRequest } from '../../src/client/send-request.ts';
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
  const filled = fillRequest(written, Object.fromEntries(written.missing.map((name) => [name, own[name] ?? name])));
  if ('message' in filled) return compareBodies(filled.message, sent.body).map((how) => `message: ${how}`);
  const url = filled.url + (own['query'] === undefined ? '' : `?${own['query']}`);
  const { method, body = '' } = filled;
  const headers = Object.entries(filled.headers).filter(([name, value]) => {
    const theirs = sent.headers[name.toLowerCase()];
    if (name !== 'Content-Type') return theirs !== value;
    // Some clients leave it to their HTTP client.
    const isOwn = 'body' in written && written.body === '{body}';
    return theirs !== undefined && theirs.split(';')[0] !== value && !isOwn;
  });
  const [ours, theirs] = [splitUrl(url), splitUrl(sent.url)];
  const differs = [
    ...(method === sent.method ? [] : ['method']),
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
