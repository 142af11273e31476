import { z } from 'zod';
import { decodeBase64, encodeBase64 } from '../../model/text/byte-encodings.ts';
import { compactJson, messageField } from '../json-text.ts';
import { textPayload } from '../payload-outcome.ts';
import type { RuleModule } from '../rule-module.ts';
import { fieldName } from '../rule-options.ts';
import { readAsText } from '../signed/read-text.ts';

const schema = z.strictObject({
  rule: z.literal('json'),
  field: fieldName.exactOptional(),
  encode: z.literal('base64').exactOptional().describe('base64: the base64 form of the text is signed.'),
});

const encoder = new TextEncoder();
const TEXT = readAsText();
const BASE64 = readAsText(decodeBase64);

/**
 * Rule `json`: JSON without whitespace, members in the order sent, of `data` or of one field of it.
 * Strings and numbers as ECMAScript's JSON.stringify: `1.0` becomes `1`, `1e21` `1e+21`, é stays é.
 * Members with integer names are rejected, because their order is lost. A string field is signed
 * verbatim, without quotes; null, booleans and numbers are rejected. Other fields are not
 * signed. With `"encode": "base64"` the base64 of that text is signed, as Gemini requires.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 *   signs the 67 bytes `{"nonce":1700000000000,"instruction":{"type":"order","side":"buy"}}`
 * @example field `message`: `{"message": {"symbol": "é"}, "id":
 *   7}` signs the 15 bytes `{"symbol":"é"}`, é as C3 A9
 * @example encode `base64`: `{"nonce": 1}` signs the 16 bytes `eyJub25jZSI6MX0=`
 */
export const json: RuleModule<typeof schema> = {
  schema,
  fitsFormats: true,
  ignoresOthers: true,
  members: ({ field }) => (field === undefined ? null : [field]),
  build: (data, { field, encode }) => {
    const rendered =
      field === undefined
        ? compactJson([], data)
        : messageField(data, field, (message) => compactJson([field], message));
    return textPayload(encode === 'base64' ? encodeBase64(encoder.encode(rendered)) : rendered);
  },
  fields: TEXT.fields,
  reader: ({ encode }) => (encode === 'base64' ? BASE64 : TEXT).reader({}),
};
