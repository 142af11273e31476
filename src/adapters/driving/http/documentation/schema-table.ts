import { type Html, type HtmlPart, html } from './html.ts';
import { inline } from './prose.ts';
import { nameOf, type ReadDocument, type Schema, schemaOf } from './read-document.ts';

/** One field of a schema. */
interface Row {
  /** Names of the objects around it, each with a dot. */
  readonly prefix: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** The fields of an object, those of objects in it as well, as a table. Of what is sent the fields that have to be there are marked, of answers those that need not. */
export function schemaTable(document: ReadDocument, schema: Schema, direction: 'sent' | 'answered'): Html {
  return fieldTable(
    rowsOf(document, schema, '').map((row) => ({
      name: html`<span class="dim">${row.prefix}</span><wbr>${row.name}`,
      type: typeText(document, row.schema),
      mark: markOf(row, direction),
      notes: notesOf(document, row.schema),
    })),
  );
}

function markOf({ isRequired }: Row, direction: 'sent' | 'answered'): FieldLine['mark'] {
  if (direction === 'sent') return isRequired ? 'required' : null;
  return isRequired ? null : 'optional';
}

/** A line of a table of fields. */
export interface FieldLine {
  readonly name: HtmlPart;
  readonly type: HtmlPart;
  readonly mark: 'required' | 'optional' | null;
  readonly notes: HtmlPart;
}

/** A table of fields, parameters or headers; on narrow screens its cells stand one below the other. */
export function fieldTable(lines: readonly FieldLine[]): Html {
  const rows = lines.map(
    ({ name, type, mark, notes }) => html`
<tr><th scope="row"><code>${name}</code>${mark !== null && html` <span class="${mark}">${mark}</span>`}</th><td class="type">${type}</td><td>${notes}</td></tr>`,
  );
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Notes</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** The type of a value in words. */
export function typeText(document: ReadDocument, schema: Schema): string {
  if (isRefusal(document, schema)) return 'error';
  if (schema.items !== undefined) return `array of ${typeText(document, schema.items)}`;
  const variants = schema.anyOf ?? schema.oneOf;
  const types = variants?.map((variant) => typeText(document, variant)) ?? [schemaOf(document, schema).type ?? 'any'];
  return [...new Set(types.flat())].join(' or ');
}

function rowsOf(document: ReadDocument, schema: Schema, prefix: string): readonly Row[] {
  const { properties = {}, required = [] } = schemaOf(document, schema);
  return Object.entries(properties).flatMap(([name, field]) => [
    { prefix, name, isRequired: required.includes(name), schema: field },
    ...innerRows(document, field, `${prefix}${name}`),
  ]);
}

/** Fields of what a field holds. Of variants each field once, and as one that need not be there unless all of them have it. */
function innerRows(document: ReadDocument, field: Schema, path: string): readonly Row[] {
  if (field.items !== undefined) return innerRows(document, field.items, `${path}[]`);
  const variants = (field.anyOf ?? field.oneOf ?? [field]).filter((variant) => !isRefusal(document, variant));
  const tables = variants.filter(isNotNull).map((variant) => rowsOf(document, variant, `${path}.`));
  const names = [...new Set(tables.flat().map(fullName))];
  return names.flatMap((name) => {
    const same = tables.flat().filter((row) => fullName(row) === name);
    const [first] = same;
    if (first === undefined) return [];
    const isRequired = same.length === tables.length && same.every((row) => row.isRequired);
    return [{ ...first, isRequired, schema: withConstants(same.map(({ schema }) => schema)) }];
  });
}

function fullName({ prefix, name }: Row): string {
  return `${prefix}${name}`;
}

function isNotNull({ type }: Schema): boolean {
  return type !== 'null';
}

/** The first, and where each of them is one value, with all of these. */
function withConstants(schemas: readonly Schema[]): Schema {
  const [{ const: only, ...first } = {}] = schemas;
  const constants = schemas.flatMap(({ const: value }) => value ?? []);
  return constants.length < 2
    ? { ...first, ...(only !== undefined && { const: only }) }
    : { ...first, enum: constants };
}

/** They have a chapter of their own. */
function isRefusal({ components }: ReadDocument, { $ref }: Schema): boolean {
  return $ref !== undefined && Object.hasOwn(components.examples, nameOf($ref));
}

function notesOf(document: ReadDocument, schema: Schema): HtmlPart {
  const { description = '' } = { ...schemaOf(document, schema), ...schema };
  const values = schema.enum ?? schema['x-extensible-enum'] ?? (schema.const === undefined ? [] : [schema.const]);
  const shown = values.map((value, index) => [index === 0 ? '' : ', ', html`<code>${String(value)}</code>`]);
  const bounds = boundsOf(schema);
  const errors = (schema.anyOf ?? [schema]).filter((variant) => isRefusal(document, variant));
  const links = errors.map(({ $ref = '' }, index) => [index === 0 ? '' : ', ', errorLink(nameOf($ref))]);
  return [
    errors.length === 0 && inline(description),
    errors.length > 0 && html`<code>code</code>, <code>message</code> and <code>details</code> of ${links}.`,
    values.length > 0 && html` <span class="values">${values.length > 1 ? 'One of ' : 'Always '}${shown}.</span>`,
    bounds !== null && html` <span class="values">${bounds}</span>`,
  ];
}

function errorLink(name: string): Html {
  return html`<a href="#error-${name}">${name}</a>`;
}

function boundsOf({ minItems, maxItems, minLength, maxLength, minimum, maximum }: Schema): string | null {
  if (maxItems !== undefined) return `${minItems ?? 0} to ${maxItems} items.`;
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters.`;
  if (maximum !== undefined) return `${minimum ?? 0} to ${maximum}.`;
  return null;
}
