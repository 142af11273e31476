import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  type ParseOptions,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import {
  type CredentialIssue,
  type IssuePath,
  isQuotableName,
  renderPath,
} from '../../domain/configuration/credential-issue.ts';
import type { Issue } from '../../domain/model/errors.ts';
import { findDuplicateKeys } from '../../domain/model/text/lossless-json.ts';

const STRICT_JSON: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Describes a JSON syntax error (RFC 8259) without quoting the text, unlike `JSON.parse`. */
export function syntaxMessage(text: string): string {
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, STRICT_JSON);
  } catch (error) {
    // The parser recurses.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return 'is not valid JSON';
  const problem = printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `is not valid JSON: ${problem.toLowerCase()} ${formatPosition(text, first.offset)}`;
}

/** Duplicate keys in valid JSON: parsers keep the last value, people read the first. */
export function duplicateKeyIssues(text: string): readonly CredentialIssue[] {
  const duplicates = findDuplicateKeys(text);
  if (duplicates === null) {
    // An overwritten duplicate was never checked and may nest beyond the parser's limit.
    return [{ path: [], message: 'contains a duplicate key, or is nested too deeply' }];
  }
  return duplicates.map(({ name, path, offset }) => {
    const key = isQuotableName(name) ? `key ${name}` : 'key';
    return { path, message: `contains a duplicate ${key}; remove one of them`, offset };
  });
}

/** Adds line and column of each issue, or of its nearest existing ancestor. */
export function locateIssues(text: string, issues: readonly CredentialIssue[]): readonly Issue[] {
  const root = parseTreeIfShallow(text);
  return issues.map((issue) => {
    const offset = issue.offset ?? (root && nearestNode(root, issue.path).offset);
    const position = offset === undefined ? '' : ` ${formatPosition(text, offset)}`;
    return { path: renderPath(issue.path), message: `${issue.message}${position}` };
  });
}

function parseTreeIfShallow(text: string): Node | undefined {
  try {
    return parseTree(text, [], STRICT_JSON);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function nearestNode(root: Node, path: IssuePath): Node {
  const node = findNodeAtLocation(root, [...path]);
  if (node === undefined) return path.length === 0 ? root : nearestNode(root, path.slice(0, -1));
  return node.parent?.type === 'property' ? node.parent : node;
}

function formatPosition(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `(line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}
