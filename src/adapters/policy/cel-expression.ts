import type { ASTNode } from '@marcbachmann/cel-js';
import type { SignedFields } from '../../domain/model/payload.ts';
import { findLoopIssue } from './cel-loops.ts';
import { getAccess, getText, LOOPS, walk } from './cel-syntax.ts';

/** Functions that a policy may call: all of them take time in proportion to their arguments. */
const FUNCTIONS = [
  ...LOOPS,
  ...['has', 'size', 'type', 'string', 'decimal', 'timestamp', 'duration'],
  ...['contains', 'startsWith', 'endsWith', 'indexOf', 'substring', 'split', 'trim', 'lowerAscii', 'upperAscii'],
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
];

const EQUALITIES: readonly string[] = ['==', '!=', 'in'];
const ORDERS: readonly string[] = ['<', '<=', '>', '>='];

/** A string that means a number. */
const NUMERAL = /^-?[0-9]+(?:\.[0-9]+)?$/;

/**
 * The first thing that an expression must not do, or undefined: read fields that are not signed, or
 * `signed` as a whole; call functions whose time or result depends on more than their arguments;
 * compute with floating-point numbers; compare with a constant result; loop without bounds.
 */
export function findExpressionIssue(expression: ASTNode, fields: SignedFields): string | undefined {
  for (const node of walk(expression)) {
    const issue =
      findAccessIssue(node, fields) ??
      findNumberIssue(node) ??
      findCallIssue(node, fields) ??
      findComparisonIssue(node);
    if (issue !== undefined) return issue;
  }
  return findLoopIssue(expression);
}

/** The fields of `signed` that an expression reads, unique. */
export function findSignedFields(expression: ASTNode): readonly string[] {
  const fields = new Set<string>();
  for (const node of walk(expression)) {
    const field = getAccess(node)?.field;
    if (typeof field === 'string') fields.add(field);
  }
  return [...fields];
}

/** Names of members, and all texts, in an expression; unique. */
export function findNames(expression: ASTNode): readonly string[] {
  const names = new Set<string>();
  for (const node of walk(expression)) {
    if (node.op === '.') names.add(node.args[1]);
    const text = getText(node);
    if (text !== undefined) names.add(text);
  }
  return [...names];
}

function findAccessIssue(node: ASTNode, fields: SignedFields): string | undefined {
  const access = getAccess(node);
  if (access === undefined || (access.field !== null && Object.hasOwn(fields, access.field))) return undefined;
  const covered = Object.keys(fields).map((field) => `signed.${field}`);
  const list =
    covered.length === 0
      ? 'the parts of the signed payload cannot be distinguished'
      : `the signed fields are ${covered.join(', ')}`;
  if (access.field === null)
    return `must read a field of signed, such as signed.${Object.keys(fields)[0] ?? 'path'}; ${list}`;
  return `reads signed.${access.field}, which the signature does not cover, so the policy would have no effect; ${list}`;
}

function findNumberIssue(node: ASTNode): string | undefined {
  if (node.op !== 'value' || typeof node.args !== 'number') return undefined;
  return `contains the floating-point number ${node.args}: write decimal("${node.args}"), which is exact`;
}

function findCallIssue(node: ASTNode, fields: SignedFields): string | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const [name] = node.args;
  if (!FUNCTIONS.includes(name))
    return `calls ${name}(), which is not available in policies; available: ${FUNCTIONS.join(', ')}`;
  if (node.op === 'rcall' || name !== 'has') return undefined;
  const field = node.args[1][0] === undefined ? undefined : getAccess(node.args[1][0])?.field;
  if (typeof field !== 'string' || !Object.hasOwn(fields, field)) return undefined;
  return `tests signed.${field} with has(), but that field is absent only if it could not be decoded: test one of its members, such as has(signed.${field}.name)`;
}

function findComparisonIssue(node: ASTNode): string | undefined {
  if (ORDERS.includes(node.op)) {
    const number = getOperands(node)
      .map(getText)
      .find((text) => text !== undefined && NUMERAL.test(text));
    if (number === undefined) return undefined;
    return `compares with the string "${number}", which compares characters ("9" > "10"): write decimal("${number}"), and decimal() around the other side`;
  }
  if (!EQUALITIES.includes(node.op)) return undefined;
  const operands = getOperands(node);
  if (!operands.some((operand) => getAccess(operand)?.field === 'method')) return undefined;
  const method = operands
    .flatMap((operand) => (operand.op === 'list' ? operand.args : [operand]))
    .map(getText)
    .find((text) => text !== undefined && text !== text.toUpperCase());
  if (method === undefined) return undefined;
  return `compares signed.method with "${method}", but the method is always in upper case: write "${method.toUpperCase()}"`;
}

function getOperands(node: ASTNode): readonly ASTNode[] {
  const { args } = node as { readonly args: readonly ASTNode[] };
  return args;
}
