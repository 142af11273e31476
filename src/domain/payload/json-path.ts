/** One step down into a JSON value: a member's name or an element's index. */
export type JsonStep = string | number;

const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;
const KEY_LIMIT = 64;
const PATH_LIMIT = 256;
const ELLIPSIS = '...';

/**
 * Writes a place in a document as one line of at most 256 printable ASCII characters, whatever the keys are:
 * `data.instruction.price`, `data.items[3]`, `data["odd key"]`. A key that is no plain identifier is written as a JSON string, cut
 * after 64 characters; a path that is still too long loses its middle.
 */
export function jsonPath(root: string, steps: readonly JsonStep[]): string {
  const path = root + steps.map(stepText).join('');
  if (path.length <= PATH_LIMIT) return path;
  const half = (PATH_LIMIT - ELLIPSIS.length) >> 1;
  return path.slice(0, half) + ELLIPSIS + path.slice(-half);
}

function stepText(step: JsonStep): string {
  if (typeof step === 'number') return `[${step}]`;
  if (PLAIN_KEY.test(step)) return `.${step}`;
  const shown = step.length <= KEY_LIMIT ? step : step.slice(0, KEY_LIMIT) + ELLIPSIS;
  return `[${JSON.stringify(shown).replace(/[^\x20-\x7e]/g, unicodeEscape)}]`;
}

function unicodeEscape(codeUnit: string): string {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
