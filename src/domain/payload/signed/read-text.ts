import type { SignedContent, SignedValue } from '../../model/signed-content.ts';
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

/** Without the members that are undefined. */
export function contentOf(members: { readonly [field: string]: SignedValue | undefined }): SignedContent {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, SignedValue] => member[1] !== undefined),
  );
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
    return contentOf({ text, message: fields.has('message') ? decodeJson(text, spellings) : undefined });
  });
}
