import type { JsonObject, JsonValue } from '../domain/model/json.ts';
import { namesInOrder } from '../domain/payload/names-in-order.ts';
import { isPlainText } from '../domain/payload/plain-text.ts';

const MAX_DEPTH = 8;

/**
 * The canonical text (RFC 8785) of an object that is surely JSON and all printable ASCII without escapes, or null where that is not sure: then `canonicalJson` has to write it, and somebody has to
 * look what it wrote. Masked data is of this kind. It is written and checked in one go: no text is read once more.
 */
export function plainObjectText(object: JsonObject): string | null {
  return objectText(object, MAX_DEPTH);
}

function objectText(object: JsonObject, depth: number): string | null {
  const names = namesInOrder(object);
  let text = '{';
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const value = valueText(object[name], depth);
    if (value === null || !isPlainText(name)) return null;
    text += index === 0 ? `"${name}":${value}` : `,"${name}":${value}`;
  }
  return `${text}}`;
}

function valueText(value: JsonValue | undefined, depth: number): string | null {
  switch (typeof value) {
    case 'string':
      return isPlainText(value) ? `"${value}"` : null;
    case 'number':
      return Number.isFinite(value) ? `${value}` : null;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return depth === 0 || Array.isArray(value) ? null : objectText(value as JsonObject, depth - 1);
    default:
      return null;
  }
}
