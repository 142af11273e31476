import type { ASTNode } from '@marcbachmann/cel-js';
import type { SignedFields } from '../../domain/model/signed-content.ts';

/** Loops over a list or map; the first argument names the element. */
const LOOPS = ['all', 'exists', 'exists_one', 'map', 'filter'];

/** Functions that a policy may call: all of them take time in proportion to their arguments. */
const FUNCTIONS = [
  ...LOOPS,
  ...['has', 'size', 'type', 'string', 'int', 'decimal', 'timestamp', 'duration'],
  ...[
    'contains',
    'startsWith',
    'endsWith',
    'indexOf',
    'lastIndexOf',
    'substring',
    'split',
    'join',
    'trim',
    'lowerAscii',
    'upperAscii',
  ],
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
];

/** The field of `signed` that a node reads. */
type Access = { readonly field: string } | { readonly field: null };

/**
 * What an expression may not do, or undefined: read fields that are not signed, or `signed` as a
 * whole; call functions whose time or result depends on more than their arguments; compute with
 * floating-point numbers; loop within a loop over anything but the element's own list.
 */
export function findExpressionIssue(expression: ASTNode, fields: SignedFields): string | undefined {
  for (const { node, loops } of walk(expression, [])) {
    const issue = findAccessIssue(node, fields) ?? findNumberIssue(node) ?? findCallIssue(node, loops);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

/** The fields of `signed` that an expression reads, unique. */
export function findSignedFields(expression: ASTNode): readonly string[] {
  const fields = new Set<string>();
  for (const { node } of walk(expression, [])) {
    const field = getAccess(node)?.field;
    if (typeof field === 'string') fields.add(field);
  }
  return [...fields];
}

/** Names of members, and all texts, in an expression; unique. */
export function findNames(expression: ASTNode): readonly string[] {
  const names = new Set<string>();
  for (const { node } of walk(expression, [])) {
    if (node.op === '.') names.add(node.args[1]);
    if (node.op === 'value' && typeof node.args === 'string') names.add(node.args);
  }
  return [...names];
}

function findAccessIssue(node: ASTNode, fields: SignedFields): string | undefined {
  const access = getAccess(node);
  if (access === undefined || (access.field !== null && Object.hasOwn(fields, access.field))) return undefined;
  const covered = Object.keys(fields).map((field) => `signed.${field}`);
  const list = covered.length === 0 ? 'none of its parts can be told apart' : `it covers ${covered.join(', ')}`;
  if (access.field === null)
    return `must name a field of signed, as in signed.${Object.keys(fields)[0] ?? 'path'}; ${list}`;
  return `names signed.${access.field}, which the signature does not cover, so that it would protect nothing; ${list}`;
}

/** Undefined for a node that does not read `signed`. */
function getAccess(node: ASTNode): Access | undefined {
  if (node.op === '.' && isSigned(node.args[0])) return { field: node.args[1] };
  if (node.op === '[]' && isSigned(node.args[0])) {
    const [, index] = node.args;
    return { field: index.op === 'value' && typeof index.args === 'string' ? index.args : null };
  }
  return isSigned(node) ? { field: null } : undefined;
}

function isSigned(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'signed';
}

function findNumberIssue(node: ASTNode): string | undefined {
  if (node.op !== 'value' || typeof node.args !== 'number') return undefined;
  return `has the floating-point number ${node.args}: write decimal("${node.args}"), which is exact`;
}

function findCallIssue(node: ASTNode, loops: readonly string[]): string | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const [name] = node.args;
  if (!FUNCTIONS.includes(name))
    return `calls ${name}(), which policies do not have; they have ${FUNCTIONS.join(', ')}`;
  const variable = loops.at(-1);
  if (node.op !== 'rcall' || !LOOPS.includes(name) || variable === undefined || getRoot(node.args[1]) === variable) {
    return undefined;
  }
  return `has a loop within a loop: the inner one must go over a field of ${variable}, so that its time is bounded`;
}

/** The variable that a chain of fields begins with. */
function getRoot(node: ASTNode): string | undefined {
  if (node.op === '.' || node.op === '[]') return getRoot(node.args[0]);
  return node.op === 'id' ? node.args : undefined;
}

interface Visit {
  readonly node: ASTNode;
  /** Variables of the loops around it, the innermost last. */
  readonly loops: readonly string[];
}

function* walk(node: ASTNode, loops: readonly string[]): Generator<Visit> {
  yield { node, loops };
  // `signed.field` is one access, not a use of `signed`.
  if ((node.op === '.' || node.op === '[]') && isSigned(node.args[0])) return;
  if (node.op === 'rcall' && LOOPS.includes(node.args[0])) {
    const [, range, [variable, ...rest]] = node.args;
    yield* walk(range, loops);
    const inner = variable?.op === 'id' ? [...loops, variable.args] : loops;
    for (const child of rest) yield* walk(child, inner);
    return;
  }
  for (const child of getChildren(node)) yield* walk(child, loops);
}

function getChildren(node: ASTNode): readonly ASTNode[] {
  const { args } = node as { readonly args: unknown };
  return flatten(args).filter(isNode);
}

function flatten(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap(flatten) : [value];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value;
}
