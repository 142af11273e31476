import { z } from 'zod';
import { ownMember } from '../../model/json.ts';
import type { Payload } from '../../model/payload.ts';
import { decodeBase64, decodeHex } from '../../model/text/byte-encodings.ts';
import { invalid, textPayload } from '../payload-outcome.ts';
import type { RuleModule } from '../rule-module.ts';
import { readAsText } from '../signed/read-text.ts';

const schema = z.strictObject({ rule: z.literal('raw') });

const FORMS: ReadonlyMap<string, (text: string) => Payload> = new Map([
  ['text', textPayload],
  ['hex', hexPayload],
  ['base64', base64Payload],
]);

/**
 * Rule `raw`: exactly the given bytes. `data` has one member: `text` (UTF-8), `hex` (two digits per
 * byte, either case, with or without `0x`) or `base64` (RFC 4648 §4, padded, canonical). May be
 * empty.
 *
 * @example `{"text": "é"}`, `{"hex": "0xc3a9"}` and `{"base64": "w6k="}` each sign the 2 bytes C3
 *   A9
 */
export const raw: RuleModule<typeof schema> = {
  schema,
  build: (data) => {
    const [name, ...others] = Object.keys(data);
    const build = name === undefined ? undefined : FORMS.get(name);
    if (name === undefined || build === undefined || others.length > 0) {
      return invalid('data', 'must have exactly one field: text, hex or base64');
    }
    const text = ownMember(data, name);
    return typeof text === 'string' ? build(text) : invalid(`data.${name}`, 'must be a string');
  },
  ...readAsText(),
};

function hexPayload(text: string): Payload {
  const bytes = decodeHex(text);
  if (bytes === undefined) {
    return invalid('data.hex', 'must be an even number of hex digits, with or without the prefix 0x');
  }
  return { bytes, text: text.replace(/^0x/, ''), encoding: 'hex', parts: {} };
}

function base64Payload(text: string): Payload {
  const bytes = decodeBase64(text);
  if (bytes === undefined) {
    return invalid('data.base64', 'must be canonical base64: standard alphabet (+ and /), padded with =, no spaces');
  }
  return { bytes, text, encoding: 'base64', parts: {} };
}
