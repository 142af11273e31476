import type { ASTNode } from '@marcbachmann/cel-js';

/** Loops over a list or map; the first argument names the element. */
export const LOOPS = ['all', 'exists', 'exists_one', 'map', 'filter'];

/** A loop's parts. */
export interface Loop {
  readonly range: ASTNode;
  readonly variable: string;
  readonly body: readonly ASTNode[];
}

/** The field of `signed` that a node reads; null for `signed` as a whole. */
export type Access = { readonly field: string | null };

/** Undefined for a node that is no loop. */
export function getLoop(node: ASTNode): Loop | undefined {
  if (node.op !== 'rcall' || !LOOPS.includes(node.args[0])) return undefined;
  const [, range, [variable, ...body]] = node.args;
  return variable?.op === 'id' ? { range, variable: variable.args, body } : undefined;
}

/** Undefined for a node that does not read `signed`. */
export function getAccess(node: ASTNode): Access | undefined {
  if (node.op === '.' && isSigned(node.args[0])) return { field: node.args[1] };
  if (node.op === '[]' && isSigned(node.args[0])) return { field: getText(node.args[1]) ?? null };
  return isSigned(node) ? { field: null } : undefined;
}

function isSigned(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'signed';
}

/** The text that a node stands for; undefined for anything but a literal. */
export function getText(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

/** The variable that a chain of fields begins with; undefined for other expressions. */
export function getRoot(node: ASTNode): string | undefined {
  if (node.op === '.' || node.op === '[]') return getRoot(node.args[0]);
  return node.op === 'id' ? node.args : undefined;
}

/** A node and all within it, from the outside in; `signed.field` is one node. */
export function* walk(node: ASTNode): Generator<ASTNode> {
  yield node;
  if (getAccess(node) !== undefined) return;
  for (const child of getChildren(node)) yield* walk(child);
}

/** Its operands, the receiver of a call and its arguments. */
export function getChildren(node: ASTNode): readonly ASTNode[] {
  const { args } = node as { readonly args: unknown };
  return flatten(args).filter(isNode);
}

function flatten(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap(flatten) : [value];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value;
}
