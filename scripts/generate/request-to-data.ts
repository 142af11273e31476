import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import type { JsonValue } from '../../src/domain/model/json.ts';
import { parseSendTemplate, type Send } from '../../src/domain/model/send.ts';

/** Where each member of `data` stands in the request that a client sends, a line a preset. */
export function requestToDataTable(): string {
  const rows = listPresets().flatMap(({ name, platform: { send } }) =>
    send === undefined ? [] : [`| \`${name}\` | ${describeMembers(send)} |`],
  );
  return ['| Preset | Members of `data`, and where the request has them |', '|---|---|', ...rows, ''].join('\n');
}

type Place = readonly [member: string, place: string];

/** Members that callers know from every request. */
const TARGET: readonly Place[] = [
  ['method', 'method'],
  ['path', 'path'],
];

function describeMembers(send: Send): string {
  const members = new Map<string, string>();
  for (const [member, place] of listPlaces(send)) if (!members.has(member)) members.set(member, place);
  const texts = Array.from(members, ([member, place]) =>
    member === place ? `\`${member}\`` : `\`${member}\`: ${place}`,
  );
  return texts.length === 0 ? 'The client builds them' : texts.join('; ');
}

function listPlaces(send: Send): readonly Place[] {
  if ('message' in send) return findPlaces(send.message, 'message');
  const { method, path, headers = {}, query = '', body = '' } = send;
  return [
    ...Object.entries(headers).flatMap(([name, template]) => findPlaces(template, `header ${name.replace('?', '')}`)),
    ...TARGET.filter(([name]) => (name === 'method' ? method : path) === undefined),
    ...findPlaces(path ?? '', 'path'),
    ...findPlaces(query, 'query'),
    ...findPlaces(body, 'body'),
  ];
}

/** @param place of the template: `header X`, `query`, or `body`, whose members are named */
function findPlaces(template: unknown, place: string): readonly Place[] {
  if (typeof template === 'string') {
    return parseSendTemplate(template).flatMap((token) => {
      const [member, ...inner] = typeof token === 'string' ? [] : toMember(token.name);
      // A member whose parts stand apart: only where they are.
      return member === undefined ? [] : [[member, inner.length === 0 ? place : (place.split('.')[0] ?? '')] as const];
    });
  }
  if (Array.isArray(template)) return template.flatMap((one: JsonValue) => findPlaces(one, place));
  if (typeof template !== 'object' || template === null) return [];
  if ('methods' in template && 'as' in template) return findPlaces(template.as, place);
  return Object.entries(template).flatMap(([name, value]) =>
    findPlaces(value, name === '*' ? `${place}, other members` : `${place}.${name.replace('?', '')}`),
  );
}

/** The member of `data` that a placeholder takes, and names within it; empty: none. */
function toMember(name: string): readonly string[] {
  const [kind = '', ...names] = name.split('.');
  if (kind === 'data') return names;
  return ['timestamp', 'query', 'body', 'params', 'payload'].includes(kind) ? [kind] : [];
}
