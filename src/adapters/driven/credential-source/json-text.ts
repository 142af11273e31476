import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  type ParseOptions,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Issue } from '../../../domain/model/issue.ts';
import { findDuplicateMembers } from '../../../json-text/duplicate-members.ts';
import { type CredentialFault, type FaultPath, isQuotableName, pathText } from './credential-fault.ts';

const STRICT_JSON: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** What is wrong with a text that is no JSON (RFC 8259), in words that hold nothing of the text. `JSON.parse`'s own message quotes it. */
export function syntaxMessage(text: string): string {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, STRICT_JSON);
  } catch (error) {
    // The parser calls itself for each level of nesting.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return 'is not valid JSON';
  const problem = printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `is not valid JSON: ${problem.toLowerCase()} ${positionText(text, first.offset)}`;
}

/** Members that stand twice in one object of a valid JSON text, of which `written` was parsed: parsers keep the last, people read the first. */
export function duplicateMemberFaults(text: string, written: unknown): readonly CredentialFault[] {
  const search = findDuplicateMembers(text, written);
  if (search.outcome === 'nested-too-deeply') {
    // What stands in the lost one of two members was never checked: it may be nested deeper than the parser can follow.
    return [{ path: [], message: 'holds a field twice, or is nested too deeply' }];
  }
  return search.duplicates.map(({ name, path, offset }) => {
    const field = isQuotableName(name) ? name : 'a field';
    return { path, message: `holds ${field} twice; remove one of the two`, offset };
  });
}

/** Each fault as an issue, with the line and column of its place in a valid JSON text, or of the nearest place around it. */
export function locateFaults(text: string, faults: readonly CredentialFault[]): readonly Issue[] {
  const root = treeOf(text);
  return faults.map((fault) => {
    const offset = fault.offset ?? (root && nearestNode(root, fault.path).offset);
    const position = offset === undefined ? '' : ` ${positionText(text, offset)}`;
    return { path: pathText(fault.path), message: `${fault.message}${position}` };
  });
}

function treeOf(text: string): Node | undefined {
  try {
    return parseTree(text, [], STRICT_JSON);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function nearestNode(root: Node, path: FaultPath): Node {
  const node = findNodeAtLocation(root, [...path]);
  if (node === undefined) return path.length === 0 ? root : nearestNode(root, path.slice(0, -1));
  return node.parent?.type === 'property' ? node.parent : node;
}

function positionText(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `(line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}
