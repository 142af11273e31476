import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';

/** What a line says besides its message. */
export interface Facts {
  readonly [name: string]: unknown;
}

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;

/**
 * Facts as JSON, redacted and bounded. Never throws, whatever their values do. Each object is shown
 * once, 6 levels deep, 100 entries wide. Errors become their name, message, stack and cause (other
 * properties may hold what a caller sent). Byte arrays become their length only, so that no key is
 * logged by mistake.
 */
export function loggable(facts: Facts): JsonObject {
  const rendered = render(facts, 0, new Set());
  return isJsonObject(rendered) ? rendered : { facts: rendered };
}

function render(value: unknown, depth: number, seen: Set<object>): JsonValue {
  try {
    return typeof value === 'object' && value !== null ? renderObject(value, depth, seen) : renderPrimitive(value);
  } catch {
    return '[unreadable]';
  }
}

function renderPrimitive(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'function') return '[function]';
  return String(value);
}

function renderObject(value: object, depth: number, seen: Set<object>): JsonValue {
  if (seen.has(value)) return '[shown before]';
  if (depth === MAX_DEPTH) return '[too deep]';
  seen.add(value);
  const inner = (item: unknown) => render(item, depth + 1, seen);
  if (value instanceof Error) return renderError(value, inner);
  if (value instanceof Date) return String(value.toJSON());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map(inner);
  if (value instanceof Map || value instanceof Set) return [...value].slice(0, MAX_ENTRIES).map(inner);
  return renderProperties(value, Object.keys(value).slice(0, MAX_ENTRIES), inner);
}

function renderError(error: Error, inner: (item: unknown) => JsonValue): JsonValue {
  const rendered = renderProperties(error, ['name', 'message', 'stack'], inner);
  return 'cause' in error && error.cause !== undefined
    ? { ...rendered, ...renderProperties(error, ['cause'], inner) }
    : rendered;
}

function renderProperties(value: object, names: readonly string[], inner: (item: unknown) => JsonValue): JsonObject {
  return Object.fromEntries(names.map((name) => [name, inner(readProperty(value, name))]));
}

function readProperty(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return '[unreadable]';
  }
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
