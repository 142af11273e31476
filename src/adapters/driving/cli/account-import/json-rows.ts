import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { FIXED_VALUE_NAME_PATTERN, type FixedValues } from '../../../../domain/model/fixed-values.ts';
import { fieldNameFault } from './field-name-fault.ts';
import { type ImportFault, type ImportField, type ImportRow, isImportField, type ReadRows } from './import-row.ts';
import { lineFinder } from './line-finder.ts';

const SHAPE = 'has to be a JSON array of accounts, or an object with one as "accounts"';

/** Reads a JSON array of objects, each an account, or an object that has it as `accounts`. A `null` counts as absent. */
export function jsonRows(text: string): ReadRows {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const lineAt = lineFinder(text);
  const [error] = errors;
  if (error !== undefined) return failed({ line: lineAt(error.offset), message: 'is not valid JSON from here on' });
  const list = root?.type === 'object' ? memberOf(root, 'accounts') : root;
  if (list?.type !== 'array') return failed({ line: null, message: SHAPE });

  const faults: ImportFault[] = [];
  const rows = (list.children ?? []).flatMap((node, index): readonly ImportRow[] => {
    const [row, line] = [index + 1, lineAt(node.offset)];
    const tell = (found: Pick<ImportFault, 'field' | 'message'>, offset: number) =>
      void faults.push({ row, line: lineAt(offset), ...found });
    if (node.type === 'object') return [{ row, line, ...fieldsOf(node, tell) }];
    tell({ field: null, message: 'has to be an object' }, node.offset);
    return [];
  });
  return { rows, faults };
}

type Tell = (found: Pick<ImportFault, 'field' | 'message'>, offset: number) => void;

function fieldsOf(node: Node, tell: Tell): Pick<ImportRow, 'fields' | 'values'> {
  const fields = new Map<ImportField, string>();
  let values: FixedValues | undefined;
  const seen = new Set<string>();
  for (const { name, value, offset } of membersOf(node)) {
    if (seen.has(name)) tell({ field: null, message: 'names a field twice' }, offset);
    seen.add(name);
    if (value.type === 'null') continue;
    if (name === 'values') values = valuesOf(value, tell);
    else if (!isImportField(name)) tell(fieldNameFault(name), offset);
    else if (value.type !== 'string') tell({ field: name, message: 'has to be a string' }, value.offset);
    else fields.set(name, value.value);
  }
  return { fields, values };
}

function valuesOf(node: Node, tell: Tell): FixedValues | undefined {
  if (node.type !== 'object') {
    tell({ field: 'values', message: 'has to be an object' }, node.offset);
    return undefined;
  }
  const values = new Map<string, string>();
  for (const { name, value, offset } of membersOf(node)) {
    const isName = FIXED_VALUE_NAME_PATTERN.test(name);
    if (!isName)
      tell(
        { field: 'values', message: 'has a name that is not 1 to 32 letters, digits or _ with a letter first' },
        offset,
      );
    else if (values.has(name)) tell({ field: `values.${name}`, message: 'stands there twice' }, offset);
    else if (value.type !== 'string') tell({ field: `values.${name}`, message: 'has to be a string' }, value.offset);
    else values.set(name, value.value);
  }
  return values.size === 0 ? undefined : Object.fromEntries(values);
}

function memberOf(node: Node, wanted: string): Node | undefined {
  return membersOf(node).find(({ name }) => name === wanted)?.value;
}

function membersOf({ children = [] }: Node): readonly { name: string; value: Node; offset: number }[] {
  return children.flatMap(({ offset, children: [name, value] = [] }) =>
    name === undefined || value === undefined ? [] : [{ name: String(name.value), value, offset }],
  );
}

function failed(fault: Pick<ImportFault, 'line' | 'message'>): ReadRows {
  return { rows: [], faults: [{ row: null, field: null, ...fault }] };
}
