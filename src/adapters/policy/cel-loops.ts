import type { ASTNode } from '@marcbachmann/cel-js';
import { getChildren, getLoop, getRoot, getText, type Loop } from './cel-syntax.ts';

/*
 * A request may be large and hostile, an expression is neither. These rules keep the time of an
 * evaluation within the length of the expression times that of the request: whatever is done for
 * each element of a list is done with that element alone.
 */

/** The variables of every expression. */
const FACTS = ['signed', 'principal', 'platform', 'rule', 'account', 'environment', 'now'];

/** Elements of a list in the expression to loop over. */
const MAX_CONSTANTS = 100;

/** Operators that take no longer for a long operand beside a short one. */
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const CONNECTIVES = ['&&', '||', '!_'];

/** Functions that look for their argument in a text: quadratic where both are long. */
const SEARCHES = ['contains', 'indexOf', 'split'];

/** Context of a node. */
interface Scope {
  /** Variables of all loops around it. */
  readonly variables: readonly string[];
  /** Variable of the innermost loop over the request; absent: none is around it. */
  readonly element?: string;
  /** Variables for parts of the request, without the innermost. */
  readonly outer: readonly string[];
  /** Variables for constants of the expression. */
  readonly constants: readonly string[];
}

/** Why the loops of an expression could take unbounded time, or undefined if they can't. */
export function findLoopIssue(expression: ASTNode): string | undefined {
  return findIssue(expression, { variables: [], outer: ['signed'], constants: [] }, false);
}

/** @param isCompared whether the node is an operand of a comparison or condition */
function findIssue(node: ASTNode, scope: Scope, isCompared: boolean): string | undefined {
  if (node.op === '[]' && !isKnownIndex(node.args[1], scope)) {
    return 'has a computed index: an index must be a literal or a loop variable';
  }
  const root = getRoot(node);
  const { element, outer } = scope;
  if (root !== undefined && outer.includes(root) && element !== undefined && !isCompared) {
    return `uses ${root} in a loop over something else, where it may only be one side of a comparison, so that evaluation time is bounded`;
  }
  const loop = getLoop(node);
  if (loop !== undefined) return findIssueOfLoop(loop, scope);
  const children = getChildren(node);
  return (
    findCallIssue(node, scope) ??
    findFirst(children, (child) => findIssue(child, scope, isComparison(node, children.indexOf(child), scope)))
  );
}

function findCallIssue(node: ASTNode, { element, constants }: Scope): string | undefined {
  if (node.op !== 'rcall') return undefined;
  const [name, , [argument]] = node.args;
  if (argument === undefined) return undefined;
  const isText = getText(argument) !== undefined;
  const isConstant = isText || [...constants, ...FACTS.slice(1)].includes(getRoot(argument) ?? '');
  if (SEARCHES.includes(name) && !isConstant) {
    return `calls ${name}() with a value from the request, so evaluation time is not bounded: pass a string literal`;
  }
  // Time zones are looked up, which takes a hundred times longer than anything else.
  if (!name.startsWith('get')) return undefined;
  if (!isText) return `calls ${name}() with a computed time zone: pass a literal such as "Europe/Berlin"`;
  if (element === undefined) return undefined;
  return `calls ${name}() with a time zone in a loop, so evaluation time is not bounded: call it outside the loop and combine with && or ||`;
}

function isComparison(node: ASTNode, operand: number, { outer }: Scope): boolean {
  if (node.op === '?:' || node.op === 'in') return operand === 0;
  // Part of a chain that is already checked as a whole.
  if (getRoot(node) !== undefined) return true;
  if (COMPARISONS.includes(node.op)) {
    const other = getRoot(getChildren(node)[1 - operand] as ASTNode);
    return other === undefined || !outer.includes(other);
  }
  return CONNECTIVES.includes(node.op) || (node.op === 'call' && node.args[0] === 'has');
}

function isKnownIndex(index: ASTNode, { variables }: Scope): boolean {
  return index.op === 'value' || (index.op === 'id' && variables.includes(index.args));
}

function findIssueOfLoop({ range, variable, body }: Loop, scope: Scope): string | undefined {
  if (FACTS.includes(variable)) return `uses the reserved name ${variable} for a loop variable`;
  if (scope.variables.includes(variable)) return `uses the name ${variable} for the variables of two nested loops`;
  const variables = [...scope.variables, variable];
  if (isConstantList(range) && scope.variables.length === 0) {
    const constants = [...scope.constants, variable];
    return findFirst(body, (part) => findIssue(part, { ...scope, variables, constants }, false));
  }
  const { element } = scope;
  const issue = findRangeIssue(range, scope);
  if (issue !== undefined) return issue;
  const outer = element === undefined ? scope.outer : [...scope.outer, element];
  return findFirst(body, (part) => findIssue(part, { ...scope, variables, element: variable, outer }, false));
}

function isConstantList(node: ASTNode): boolean {
  return (
    node.op === 'list' &&
    node.args.length <= MAX_CONSTANTS &&
    node.args.every((element) => getText(element) !== undefined)
  );
}

function findRangeIssue(range: ASTNode, scope: Scope): string | undefined {
  const { element = 'signed' } = scope;
  if (getRoot(range) === element) return findIssue(range, scope, false);
  if (range.op === 'rcall' && ['filter', 'split'].includes(range.args[0])) {
    return findRangeIssue(range.args[1], scope) ?? findIssue(range, scope, false);
  }
  const place = scope.variables.length === 0 ? 'a loop' : 'a nested loop';
  const constants = scope.variables.length === 0 ? `, or over at most ${MAX_CONSTANTS} string literals` : '';
  return `contains ${place} that is not over a field of ${element}${constants}, so evaluation time is not bounded`;
}

function findFirst(nodes: readonly ASTNode[], find: (node: ASTNode) => string | undefined): string | undefined {
  for (const node of nodes) {
    const issue = find(node);
    if (issue !== undefined) return issue;
  }
  return undefined;
}
