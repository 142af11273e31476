import { FIELD_LIST, type NamedField } from '../../src/domain/model/audit-entry.ts';

/** JSON Schema (draft 2020-12) of one line, published as config/audit-record.schema.json. */
export function recordJsonSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Audit record of the signing service',
    description: 'One line of the audit file.',
    type: 'object',
    properties: Object.fromEntries(FIELD_LIST.map((field) => [field.name, toProperty(field)])),
    required: FIELD_LIST.map(({ name }) => name).filter((name) => name !== 'sig'),
    additionalProperties: false,
  };
}

function toProperty(field: NamedField): object {
  const { schema, nullWhen } = field;
  const description = `${describe(field)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')}.`;
  return { ...schema, type: nullWhen === undefined ? schema.type : [schema.type, 'null'], description };
}

/** The table of docs/auditors/audit-format.md. */
export function fieldTable(): string {
  return ['| Field | Type | Meaning |', '|---|---|---|', ...FIELD_LIST.map(toRow)].join('\n');
}

function toRow(field: NamedField): string {
  const { name, schema, nullWhen } = field;
  const type = `${schema.type}${nullWhen === undefined ? '' : ', null'}${name === 'sig' ? ', or absent' : ''}`;
  return `| \`${name}\` | ${type} | ${describe(field).replaceAll('|', '\\|')} |`;
}

/** Markdown, without a full stop. */
function describe({ meaning, nullWhen }: NamedField): string {
  return nullWhen === undefined ? meaning : `${meaning}; null ${nullWhen}`;
}
