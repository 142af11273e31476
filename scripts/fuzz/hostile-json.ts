import fc from 'fast-check';
import { HOSTILE, jsonObject } from '../../tests/property/json-arbitraries.ts';
import { changeAt, type JsonTree, sizeOf, textOf, treeOf } from './json-tree.ts';

/** Ids and texts that paths, logs, shells, prototypes and terminals take for something else. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '../../../../etc/passwd',
  '..\\..\\',
  '%2e%2e%2f',
  '/etc/passwd',
  'file:///etc/passwd',
  '__proto__',
  'constructor',
  'prototype',
  'constructor.prototype',
  'toString',
  'hasOwnProperty',
  'a\u0000b',
  'a\r\nX-Injected: 1\r\n\r\nb',
  '{"level":"error","message":"injected"}\n',
  '\u2028\u2029',
  '\u001b[2J\u001b[31mred',
  '\u202egnirts',
  '\ufeff',
  '\u{1f600}',
  'e\u0301',
  '$' + '{jndi:ldap://x}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '$(id)`id`',
  '%s%n%x',
  'a'.repeat(129),
  'A'.repeat(70_000),
];

/** Scalars and more as they are written; some are no JSON. */
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
  ...[
    '"__proto__"',
    '"\\u005f_proto__"',
    '"constructor"',
    '"\\ud800"',
    '"Data"',
    '"data "',
    '"\\u0064ata"',
    '"10"',
    '1',
  ],
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
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)) },
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

/** Changes of one member of an object; of other nodes nothing. */
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

/** The value's JSON text after one to three changes of its structure. */
export function hostileText(value: unknown): fc.Arbitrary<string> {
  return fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
    const tree = mutations.reduce((all, [place, change]) => changeAt(all, place % sizeOf(all), change), treeOf(value));
    return textOf(tree);
  });
}
