import { z } from 'zod';
import { canonicalJson } from '../../model/text/jcs.ts';
import { messageField } from '../json-text.ts';
import { textPayload } from '../payload-outcome.ts';
import type { RuleModule } from '../rule-module.ts';
import { fieldName } from '../rule-options.ts';
import { readAsText } from '../signed/read-text.ts';

const schema = z.strictObject({ rule: z.literal('jcs'), field: fieldName.exactOptional() });

/**
 * Rule `jcs`: RFC 8785 canonical JSON of `data`, or of one field of it. A string field is signed
 * verbatim, without quotes; null, booleans and numbers are rejected. Other fields are not
 * signed.
 *
 * @example whole data: `{"nonce": 1700000000000, "instruction": {"type": "order", "side": "buy"}}`
 *   signs the 67 bytes `{"instruction":{"side":"buy","type":"order"},"nonce":1700000000000}`
 * @example field `message`: `{"message": {"symbol": "é", "action":
 *   "buy"}}` signs `{"action":"buy","symbol":"é"}`, é as C3 A9
 * @example field `message`: `{"message": "hello"}` signs the 5 bytes `hello` (68 65 6C 6C 6F)
 */
export const jcs: RuleModule<typeof schema> = {
  schema,
  fitsFormats: true,
  ignoresOthers: true,
  members: ({ field }) => (field === undefined ? null : [field]),
  build: (data, { field }) =>
    textPayload(field === undefined ? canonicalJson(data) : messageField(data, field, canonicalJson)),
  ...readAsText(),
};
