import { type JsonObject, type JsonValue, ownMember } from '../../src/domain/model/json.ts';

/** Splits as sent: `URL` would encode it again. */
export function splitUrl(url: string) {
  const [base = '', ...queries] = url.split('?');
  return { base, query: queries.join('?') };
}

/** Text that is not percent-encoded is as it is: some clients leave that to the HTTP client. */
export function decodeText(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? text : decodeURIComponent(text.replaceAll('+', ' '));
}

/** A query or form as an object; a repeated name has a list, as has one that ends with `[]`. */
export function parseParameters(text: string): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const pair of text === '' ? [] : text.split('&')) {
    const [name = '', ...values] = pair.split('=');
    const [key, value] = [decodeText(name), decodeText(values.join('='))];
    const known = ownMember(object, key);
    object[key] = known === undefined && !key.endsWith('[]') ? value : [known ?? [], value].flat();
  }
  return object;
}

/** Undefined for other text. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
