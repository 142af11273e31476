import { REFUSALS } from '../../src/adapters/http/refusals.ts';
import { COMPONENT_SCHEMAS, type Schema } from './api-schemas.ts';

/** A Markdown list of the fields of an object, of an array's objects, or of alternatives. */
export function fieldList(schema: Schema, isRequest: boolean, indent = ''): string {
  const { items, anyOf, oneOf, properties = {}, required = [] } = resolve(schema);
  if (items !== undefined) return fieldList(items as Schema, isRequest, indent);
  const variants = (anyOf ?? oneOf ?? []).filter(
    (variant) => !isRefusal(variant) && resolve(variant).type === 'object',
  );
  if (variants.length === 1) return fieldList(variants[0] ?? {}, isRequest, indent);
  const inner = `${indent}  `;
  if (variants.length > 1) {
    return variants
      .map((variant) => `${indent}- ${getName(variant)}:\n${fieldList(variant, isRequest, inner)}`)
      .join('');
  }
  const fields = Object.entries(properties) as readonly [string, Schema][];
  return fields
    .map(([name, field]) => {
      const mark = required.includes(name) === isRequest ? `, ${isRequest ? 'required' : 'optional'}` : '';
      return `${indent}- ${describeField(name, mark, field)}\n${fieldList(field, isRequest, inner)}`;
    })
    .join('');
}

/** Name, type, description and possible values of a field or parameter, in Markdown. */
export function describeField(name: string, mark: string, schema: Schema): string {
  const refusals = (schema.anyOf ?? []).filter(isRefusal).map(getName);
  const { description = '', ...rules } = { ...resolve(schema), ...schema };
  const said = refusals.length > 0 ? `One of ${refusals.map((name) => linkError(name)).join(', ')}.` : description;
  const type = refusals.length > 0 ? 'error' : formatType(schema);
  return [`\`${name}\` *${type}${mark}.*`, said, formatValues(rules), formatBounds(rules)].filter(Boolean).join(' ');
}

/** A link to the section of an error. */
export function linkError(name: string, text = name): string {
  return `[${text}](#error-${name})`;
}

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (COMPONENT_SCHEMAS[getName(schema)] ?? {});
}

function getName({ $ref = '' }: Schema): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function isRefusal(schema: Schema): boolean {
  return Object.hasOwn(REFUSALS, getName(schema));
}

function formatType(schema: Schema): string {
  const { items, anyOf, oneOf, type = 'any' } = resolve(schema);
  if (items !== undefined) return `array of ${formatType(items as Schema)}`;
  const types = (anyOf ?? oneOf)?.map(formatType) ?? [type].flat();
  return [...new Set(types)].join(' or ');
}

function formatValues({ enum: values, const: value, 'x-extensible-enum': open }: Schema): string {
  const shown = [open ?? values ?? value ?? []].flat().map((one) => `\`${one}\``);
  return shown.length === 0 ? '' : `${shown.length === 1 ? 'Value:' : 'One of'} ${shown.join(', ')}.`;
}

function formatBounds({ minItems, maxItems, minLength, maxLength, minimum, maximum }: Schema): string {
  if (maxItems !== undefined) return `${minItems ?? 0} to ${maxItems} items.`;
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters.`;
  return maximum === undefined ? '' : `${minimum ?? 0} to ${maximum}.`;
}
