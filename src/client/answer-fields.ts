import { AnswerFault } from './answer-fault.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/*
 * Looks at members of an answer's data, so that what is typed is there; throws an AnswerFault that names the member. Members beyond these are left as they came: a later service may send more.
 */

/** The member is an object. */
export function objectIn(owner: JsonObject, name: string): JsonObject {
  const value = owner[name];
  return isJsonObject(value) ? value : refuse(name, 'an object');
}

/** The member is an array of objects. */
export function objectsIn(owner: JsonObject, name: string): readonly JsonObject[] {
  const value = owner[name];
  return Array.isArray(value) && value.every(isJsonObject) ? value : refuse(name, 'an array of objects');
}

/** These members are texts. */
export function expectTexts(owner: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof owner[name] !== 'string') refuse(name, 'a text');
}

/** These members are texts or null. */
export function expectTextsOrNull(owner: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (owner[name] !== null && typeof owner[name] !== 'string') refuse(name, 'a text or null');
}

/** These members are numbers. */
export function expectNumbers(owner: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof owner[name] !== 'number') refuse(name, 'a number');
}

/** These members are true or false. */
export function expectBooleans(owner: JsonObject, ...names: readonly string[]): void {
  for (const name of names) if (typeof owner[name] !== 'boolean') refuse(name, 'true or false');
}

/** The member has to be this. */
export function expectEqual(owner: JsonObject, name: string, expected: string | number): void {
  if (owner[name] !== expected) refuse(name, 'what was asked for');
}

function refuse(name: string, expected: string): never {
  throw new AnswerFault(`The answer's ${name} is not ${expected}.`);
}
