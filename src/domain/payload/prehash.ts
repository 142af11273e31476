import type { Issue } from '../model/issue.ts';
import type { JsonObject } from '../model/json.ts';
import type { PayloadOutcome } from '../model/payload.ts';
import type { PrehashRule } from '../model/payload-rule.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { findReorderedMember } from './member-order.ts';
import { fieldMessage, textPayload } from './payload-outcome.ts';
import { isWellFormedText } from './signable-json.ts';

/** A part of the text to sign, or what is wrong with the field that it comes from. */
type Part = string | Issue;

const PLACEHOLDERS: ReadonlyMap<string, (data: JsonObject) => Part> = new Map([
  ['{timestamp}', (data) => givenText(data, 'timestamp')],
  ['{METHOD}', methodText],
  ['{path}', (data) => givenText(data, 'path')],
  ['{body}', bodyText],
]);

const PLACEHOLDER_LIST = [...PLACEHOLDERS.keys()].join(', ');

/**
 * Rule `prehash`: the parts of a request put into a template, as OKX and its relatives sign them. Each placeholder is replaced once;
 * braces in the parts mean nothing. A field that the template does not name is not looked at.
 *
 * - `{timestamp}`, `{path}`: the text as sent
 * - `{METHOD}`: `data.method` in upper case
 * - `{body}`: nothing when absent, a text verbatim, an object as compact JSON in the order sent
 *
 * @example template `{timestamp}{METHOD}{path}{body}`:
 * `{"timestamp": "2020-12-08T09:08:57.715Z", "method": "post", "path": "/api/v5/trade/order", "body": {"instId": "BTC-USDT", "sz": "2"}}`
 * signs the 77 bytes `2020-12-08T09:08:57.715ZPOST/api/v5/trade/order{"instId":"BTC-USDT","sz":"2"}`
 *
 * @throws Error when the template is one that {@link findTemplateIssue} refuses: configuration never lets it come here
 */
export function prehashPayload(data: JsonObject, rule: PrehashRule): PayloadOutcome {
  const templateIssue = findTemplateIssue(rule.template);
  if (templateIssue !== undefined) throw new Error(`The prehash template ${templateIssue.message}.`);

  let text = '';
  for (const piece of rule.template.split(/(\{[^{}]*\})/)) {
    const part = PLACEHOLDERS.get(piece)?.(data) ?? piece;
    if (typeof part !== 'string') return { ok: false, issue: part };
    text += part;
  }
  return textPayload(text);
}

/**
 * What is wrong with a `prehash` template, for those who read configuration: an unknown placeholder, a brace without its partner, no
 * placeholder at all (every request would sign the same bytes), a text without a UTF-8 form. The issue's path is empty: the
 * template itself.
 */
export function findTemplateIssue(template: string): Issue | undefined {
  const placeholders = template.match(/\{[^{}]*\}/g) ?? [];
  if (/[{}]/.test(template.replace(/\{[^{}]*\}/g, ''))) {
    return { path: '', message: `has a brace without its partner; placeholders are ${PLACEHOLDER_LIST}` };
  }
  if (!placeholders.every((placeholder) => PLACEHOLDERS.has(placeholder))) {
    return { path: '', message: `has an unknown placeholder; the known ones are ${PLACEHOLDER_LIST}` };
  }
  if (placeholders.length === 0) {
    return { path: '', message: `must have at least one of the placeholders ${PLACEHOLDER_LIST}` };
  }
  if (!isWellFormedText(template))
    return { path: '', message: 'must be well-formed Unicode; it holds a lone surrogate' };
  return undefined;
}

function givenText(data: JsonObject, name: 'timestamp' | 'path'): Part {
  const value = ownMember(data, name);
  if (typeof value === 'string') return value;
  return { path: `data.${name}`, message: fieldMessage(value, 'must be a string') };
}

function methodText(data: JsonObject): Part {
  const value = ownMember(data, 'method');
  if (typeof value === 'string' && /^[A-Za-z]+$/.test(value)) return value.toUpperCase();
  return {
    path: 'data.method',
    message: fieldMessage(value, 'must be an HTTP method in letters, such as GET or POST'),
  };
}

function bodyText(data: JsonObject): Part {
  const value = ownMember(data, 'body');
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return findReorderedMember('data.body', value) ?? JSON.stringify(value);
  return {
    path: 'data.body',
    message: 'must be an object, a string that is signed verbatim, or absent; send any other body as a string',
  };
}
