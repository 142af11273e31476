import { type Html, type HtmlPart, html, inline } from './html.ts';
import { getComponentName, type ReadDocument, resolveSchema, type Schema } from './read-document.ts';

/** A field of a schema. */
interface Row {
  /** Names of the enclosing objects, each with a dot. */
  readonly prefix: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/**
 * A table of fields, also nested ones. Marks required fields of requests, optional ones of
 * responses.
 */
export function schemaTable(document: ReadDocument, schema: Schema, direction: 'request' | 'response'): Html {
  return fieldTable(
    listAllRows(document, resolveSchema(document, schema).anyOf ?? [schema], '').map((row) => ({
      name: html`<span class="dim">${row.prefix}</span><wbr>${row.name}`,
      type: formatType(document, row.schema),
      mark: getMark(row, direction),
      notes: renderNotes(document, row.schema),
    })),
  );
}

function getMark({ isRequired }: Row, direction: 'request' | 'response'): FieldLine['mark'] {
  if (direction === 'request') return isRequired ? 'required' : null;
  return isRequired ? null : 'optional';
}

/** A row of a field table. */
export interface FieldLine {
  readonly name: HtmlPart;
  readonly type: HtmlPart;
  readonly mark: 'required' | 'optional' | null;
  readonly notes: HtmlPart;
}

/** A table of fields, parameters or headers; narrow screens stack the cells. */
export function fieldTable(lines: readonly FieldLine[]): Html {
  const rows = lines.map(
    ({ name, type, mark, notes }) => html`
<tr><th scope="row"><code>${name}</code>${mark !== null && html` <span class="${mark}">${mark}</span>`}</th><td class="type">${type}</td><td>${notes}</td></tr>`,
  );
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Notes</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** A readable type name. */
export function formatType(document: ReadDocument, schema: Schema): string {
  if (isRefusal(document, schema)) return 'error';
  if (schema.items !== undefined) return `array of ${formatType(document, schema.items)}`;
  const variants = schema.anyOf ?? schema.oneOf;
  const types = variants?.map((variant) => formatType(document, variant)) ?? [
    resolveSchema(document, schema).type ?? 'any',
  ];
  return [...new Set(types.flat())].join(' or ');
}

function listRows(document: ReadDocument, schema: Schema, prefix: string): readonly Row[] {
  const { properties = {}, required = [] } = resolveSchema(document, schema);
  return Object.entries(properties).flatMap(([name, field]) => [
    { prefix, name, isRequired: required.includes(name), schema: field },
    ...listNestedRows(document, field, `${prefix}${name}`),
  ]);
}

function listNestedRows(document: ReadDocument, field: Schema, path: string): readonly Row[] {
  if (field.items !== undefined) return listNestedRows(document, field.items, `${path}[]`);
  const variants = (field.anyOf ?? field.oneOf ?? [field]).filter((variant) => !isRefusal(document, variant));
  return listAllRows(document, variants.filter(isNotNull), `${path}.`);
}

/** The fields of all variants, merged; optional unless required by all. */
function listAllRows(document: ReadDocument, variants: readonly Schema[], prefix: string): readonly Row[] {
  const tables = variants.map((variant) => listRows(document, variant, prefix));
  const names = [...new Set(tables.flat().map(fullName))];
  return names.flatMap((name) => {
    const same = tables.flat().filter((row) => fullName(row) === name);
    const [first] = same;
    if (first === undefined) return [];
    const isRequired = same.length === tables.length && same.every((row) => row.isRequired);
    return [{ ...first, isRequired, schema: mergeConstants(same.map(({ schema }) => schema)) }];
  });
}

function fullName({ prefix, name }: Row): string {
  return `${prefix}${name}`;
}

function isNotNull({ type }: Schema): boolean {
  return type !== 'null';
}

/** The first schema, with the constants of all as an enum. */
function mergeConstants(schemas: readonly Schema[]): Schema {
  const [{ const: constant, ...first } = {}] = schemas;
  const constants = schemas.flatMap(({ const: value }) => value ?? []);
  return constants.length < 2
    ? { ...first, ...(constant !== undefined && { const: constant }) }
    : { ...first, enum: constants };
}

/** Refusals have their own chapter. */
function isRefusal({ components }: ReadDocument, { $ref }: Schema): boolean {
  return $ref !== undefined && Object.hasOwn(components.examples, getComponentName($ref));
}

function renderNotes(document: ReadDocument, schema: Schema): HtmlPart {
  const { description = '' } = { ...resolveSchema(document, schema), ...schema };
  const values = schema.enum ?? schema['x-extensible-enum'] ?? (schema.const === undefined ? [] : [schema.const]);
  const shown = values.map((value, index) => [index === 0 ? '' : ', ', html`<code>${String(value)}</code>`]);
  const bounds = formatBounds(schema);
  const errors = (schema.anyOf ?? [schema]).filter((variant) => isRefusal(document, variant));
  const links = errors.map(({ $ref = '' }, index) => [index === 0 ? '' : ', ', errorLink(getComponentName($ref))]);
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

function formatBounds({ minItems, maxItems, minLength, maxLength, minimum, maximum }: Schema): string | null {
  if (maxItems !== undefined) return `${minItems ?? 0} to ${maxItems} items.`;
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters.`;
  if (maximum !== undefined) return `${minimum ?? 0} to ${maximum}.`;
  return null;
}
