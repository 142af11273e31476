import fc from 'fast-check';
import { anyText } from '../property/any-text.ts';
import { HOSTILE, jsonObject } from '../property/json-arbitraries.ts';

type ByteChange = (bytes: Buffer, place: number) => Buffer;

const NO_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80]];
const PIECES = ['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '"', '{', '}', '%', '\x80', '\x1b', '\r\n\r\n', 'HTTP/1.1'];

function insertBytes(piece: Buffer): ByteChange {
  return (bytes, place) => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]);
}

const byteChange: fc.Arbitrary<ByteChange> = fc.oneof(
  fc.constantFrom(...PIECES).map((piece) => insertBytes(Buffer.from(piece, 'latin1'))),
  fc.constantFrom(...NO_UTF8).map((piece) => insertBytes(Buffer.from(piece))),
  fc.integer({ min: 0, max: 7 }).map(
    (bit): ByteChange =>
      (bytes, place) => {
        const flipped = Buffer.from(bytes);
        flipped[place] = (bytes[place] ?? 0) ^ (1 << bit);
        return flipped;
      },
  ),
  fc.integer({ min: 1, max: 40 }).map(
    (count): ByteChange =>
      (bytes, place) =>
        Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + count)]),
  ),
  fc.integer({ min: 1, max: 40 }).map(
    (count): ByteChange =>
      (bytes, place) =>
        insertBytes(bytes.subarray(place, place + count))(bytes, place),
  ),
  fc.constant<ByteChange>((bytes, place) => bytes.subarray(0, place)),
);

/** Applies one to four mutations: flipped bits, insertions, duplicates, deletions, truncation. */
export function hostileBytes(bytes: Buffer): fc.Arbitrary<Buffer> {
  return fc
    .array(fc.tuple(fc.nat(), byteChange), { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce((all, [place, one]) => one(all, place % (all.length + 1)), bytes));
}
/** A JSON text that may contain duplicate keys and invalid names and scalars. */
export type JsonTree =
  /** Verbatim. */
  | { readonly text: string }
  | { readonly items: readonly JsonTree[] }
  /** Verbatim names, with quotes. */
  | { readonly members: readonly (readonly [name: string, value: JsonTree])[] };

export function toTree(value: unknown): JsonTree {
  if (Array.isArray(value)) return { items: value.map(toTree) };
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) ?? 'null' };
  return { members: Object.entries(value).map(([name, inner]) => [JSON.stringify(name), toTree(inner)]) };
}

export function textOf(tree: JsonTree): string {
  if ('text' in tree) return tree.text;
  if ('items' in tree) return `[${tree.items.map(textOf).join(',')}]`;
  return `{${tree.members.map(([name, value]) => `${name}:${textOf(value)}`).join(',')}}`;
}

/** Number of nodes, including the root. */
export function countNodes(tree: JsonTree): number {
  return getChildren(tree).reduce((sum, child) => sum + countNodes(child), 1);
}

/** Applies a change to a node, counted from 0 in text order. */
export function changeAt(tree: JsonTree, number: number, change: (node: JsonTree) => JsonTree): JsonTree {
  if (number === 0) return change(tree);
  if ('text' in tree) return tree;
  let left = number - 1;
  const changed = (child: JsonTree): JsonTree => {
    const size = countNodes(child);
    const result = left >= 0 && left < size ? changeAt(child, left, change) : child;
    left -= size;
    return result;
  };
  if ('items' in tree) return { items: tree.items.map(changed) };
  return { members: tree.members.map(([name, value]) => [name, changed(value)]) };
}

function getChildren(tree: JsonTree): readonly JsonTree[] {
  if ('text' in tree) return [];
  return 'items' in tree ? tree.items : tree.members.map(([, value]) => value);
}

/** Ids and texts with a meaning for paths, logs, shells, prototypes or terminals. */
export const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '.', '..', '../..', '../../../../etc/passwd', '..\\..\\', '%2e%2e%2f', '/etc/passwd'],
  ...['file:///etc/passwd', '__proto__', 'constructor', 'prototype', 'constructor.prototype', 'toString'],
  ...['hasOwnProperty', 'a\u0000b', 'a\r\nX-Injected: 1\r\n\r\nb', '{"level":"error","message":"injected"}\n'],
  ...['\u2028\u2029', '\u001b[2J\u001b[31mred', '\u202egnirts', '\ufeff', '\u{1f600}', 'e\u0301'],
  ...['$' + '{jndi:ldap://x}', "' OR 1=1 --", '<script>alert(1)</script>', '$(id)`id`', '%s%n%x', 'a'.repeat(129)],
  'A'.repeat(70_000),
];

/** Verbatim scalars, some invalid. */
const ODD_VALUES: readonly string[] = [
  ...ODD_TEXTS.map((text) => JSON.stringify(text)),
  ...['null', 'true', 'false', '{}', '[]', '0', '-0', '-1', '1e400', '-1e400', '1e-400', '5e-324', '0.1'],
  ...['9007199254740991', '9007199254740993', '-9007199254740993', '18446744073709551616', '1'.repeat(10_000)],
  ...['NaN', 'Infinity', '01', '+1', '.5', '1.', '0x10', '1n', 'undefined', "'single'", '"\\x41"', '"\\u12"', '"open'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"tab\there"', '[1,]', '{"a":1,}', '{a:1}', '/**/1', '[[[[', '}'],
  ...['{"__proto__":{"polluted":"yes"}}', '{"constructor":{"prototype":{"polluted":"yes"}}}', '{"a":1,"a":2}'],
];

const ODD_NAMES: readonly string[] = [
  ...ODD_TEXTS.slice(0, -1).map((text) => JSON.stringify(text)),
  ...['"__proto__"', '"\\u005f_proto__"', '"constructor"', '"\\ud800"', '"Data"', '"data "', '"\\u0064ata"', '"10"'],
  '1',
];

type Change = (node: JsonTree) => JsonTree;

const NESTING = [10, 65, 1000, 5000, 60_000];

function nest(node: JsonTree, levels: number, isArray: boolean): JsonTree {
  const [begin, end] = isArray ? ['[', ']'] : ['{"a":', '}'];
  return { text: `${begin.repeat(levels)}${textOf(node)}${end.repeat(levels)}` };
}

const replacing: fc.Arbitrary<Change> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ODD_VALUES) },
    { weight: 2, arbitrary: jsonObject(HOSTILE).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: anyText(40).map((text) => JSON.stringify(text)) },
    { weight: 1, arbitrary: fc.double().map(String) },
  )
  .map((text) => () => ({ text }));

const nesting: fc.Arbitrary<Change> = fc.tuple(fc.constantFrom(...NESTING), fc.boolean()).map(
  ([levels, isArray]) =>
    (node) =>
      nest(node, levels, isArray),
);

const wrapping: fc.Arbitrary<Change> = fc.constantFrom<Change>(
  (node) => ({ items: [node] }),
  (node) => ({ items: [node, node] }),
  (node) => ({ members: [['"value"', node]] }),
  (node) => ({ members: [['"__proto__"', node]] }),
  (node) => ({ text: JSON.stringify(textOf(node)) }),
  (node) => ('members' in node ? { members: [...node.members].reverse() } : node),
);

/** Changes a member of an object; ignores other nodes. */
const membering: fc.Arbitrary<Change> = fc
  .tuple(
    fc.constantFrom('twice', 'renamed', 'dropped', 'added', 'twice renamed'),
    fc.nat(),
    fc.constantFrom(...ODD_NAMES),
    fc.constantFrom(...ODD_VALUES),
  )
  .map(([how, place, name, text]) => (node) => {
    if (!('members' in node)) return node;
    const at = node.members.length === 0 ? 0 : place % node.members.length;
    const [before, member, after] = [node.members.slice(0, at), node.members[at], node.members.slice(at + 1)];
    if (how === 'added' || member === undefined) return { members: [...node.members, [name, { text }]] };
    const [own, value] = member;
    if (how === 'twice') return { members: [...before, member, ...after, [own, { text }]] };
    if (how === 'renamed') return { members: [...before, [name, value], ...after] };
    if (how === 'dropped') return { members: [...before, ...after] };
    return { members: [...before, [name, value], [name, { text }], ...after] };
  });

const mutation = fc.tuple(
  fc.nat(),
  fc.oneof(
    { weight: 5, arbitrary: replacing },
    { weight: 5, arbitrary: membering },
    { weight: 2, arbitrary: wrapping },
    { weight: 1, arbitrary: nesting },
  ),
);

/** JSON text after one to three structural changes. */
export function hostileText(value: unknown): fc.Arbitrary<string> {
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
    const tree = mutations.reduce(
      (all, [place, change]) => changeAt(all, place % countNodes(all), change),
      toTree(value),
    );
    return textOf(tree);
  });
}
