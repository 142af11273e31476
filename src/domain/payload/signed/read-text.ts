import { withoutUndefined } from '../../model/json.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { decodeJson } from './decode-json.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of signed bytes; undefined unless they are UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * How policies read a text. `text`: the signed bytes if they are UTF-8. `message`: the JSON object
 * or array in them.
 *
 * @param decode gives the text's bytes from the signed text
 */
export function readAsText(decode?: (text: string) => Uint8Array | undefined): Pick<RuleModule, 'fields' | 'reader'> {
  return readAs({ text: 'string', message: 'dyn' }, ({ text: signed, encoding, bytes }, { fields, spellings }) => {
    const decoded = decode === undefined ? bytes : decode(signed);
    const text = decode === undefined && encoding === 'utf8' ? signed : decoded && decodeUtf8(decoded);
    if (text === undefined) return {};
    return withoutUndefined({ text, message: fields.has('message') ? decodeJson(text, spellings) : undefined });
  });
}
