import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { FIXED_VALUE_NAME_PATTERN, type FixedValues } from '../../../../domain/model/payload.ts';
import { type ImportField, type ImportIssue, type ImportRow, isImportField, type ReadRows } from './import-row.ts';
import { fieldNameIssue } from './row-issues.ts';

/** Returns a function that maps an offset, from 0, to its line, from 1. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

const SHAPE = 'must be a JSON array of accounts, or an object with one as "accounts"';

/** Reads a JSON array of accounts, or an object with one as `accounts`. `null` counts as absent. */
export function jsonRows(text: string): ReadRows {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const lineAt = lineFinder(text);
  const [error] = errors;
  if (error !== undefined) return failed({ line: lineAt(error.offset), message: 'is not valid JSON' });
  const list = root?.type === 'object' ? findMember(root, 'accounts') : root;
  if (list?.type !== 'array') return failed({ line: null, message: SHAPE });

  const issues: ImportIssue[] = [];
  const rows = (list.children ?? []).flatMap((node, index): readonly ImportRow[] => {
    const [row, line] = [index + 1, lineAt(node.offset)];
    const addIssue = (found: Pick<ImportIssue, 'field' | 'message'>, offset: number) =>
      void issues.push({ row, line: lineAt(offset), ...found });
    if (node.type === 'object') return [{ row, line, ...readFields(node, addIssue) }];
    addIssue({ field: null, message: 'must be an object' }, node.offset);
    return [];
  });
  return { rows, issues };
}

type AddIssue = (found: Pick<ImportIssue, 'field' | 'message'>, offset: number) => void;

function readFields(node: Node, addIssue: AddIssue): Pick<ImportRow, 'fields' | 'values'> {
  const fields = new Map<ImportField, string>();
  let values: FixedValues | undefined;
  const seen = new Set<string>();
  for (const { name, value, offset } of listMembers(node)) {
    if (seen.has(name)) addIssue({ field: null, message: 'has a duplicate field' }, offset);
    seen.add(name);
    if (value.type === 'null') continue;
    if (name === 'values') values = readValues(value, addIssue);
    else if (!isImportField(name)) addIssue(fieldNameIssue(name), offset);
    else if (value.type !== 'string') addIssue({ field: name, message: 'must be a string' }, value.offset);
    else fields.set(name, value.value);
  }
  return { fields, values };
}

function readValues(node: Node, addIssue: AddIssue): FixedValues | undefined {
  if (node.type !== 'object') {
    addIssue({ field: 'values', message: 'must be an object' }, node.offset);
    return undefined;
  }
  const values = new Map<string, string>();
  for (const { name, value, offset } of listMembers(node)) {
    const isName = FIXED_VALUE_NAME_PATTERN.test(name);
    if (!isName)
      addIssue(
        { field: 'values', message: 'has an invalid name: use 1 to 32 letters, digits or _ beginning with a letter' },
        offset,
      );
    else if (values.has(name)) addIssue({ field: `values.${name}`, message: 'is a duplicate' }, offset);
    else if (value.type !== 'string') addIssue({ field: `values.${name}`, message: 'must be a string' }, value.offset);
    else values.set(name, value.value);
  }
  return values.size === 0 ? undefined : Object.fromEntries(values);
}

function findMember(node: Node, wanted: string): Node | undefined {
  return listMembers(node).find(({ name }) => name === wanted)?.value;
}

function listMembers({ children = [] }: Node): readonly { name: string; value: Node; offset: number }[] {
  return children.flatMap(({ offset, children: [name, value] = [] }) =>
    name === undefined || value === undefined ? [] : [{ name: String(name.value), value, offset }],
  );
}

function failed(issue: Pick<ImportIssue, 'line' | 'message'>): ReadRows {
  return { rows: [], issues: [{ row: null, field: null, ...issue }] };
}
