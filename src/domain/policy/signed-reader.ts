import { memoizeByObject } from '../model/memoize.ts';
import type { PayloadRule, SignedContent, SignedFields, SignedType } from '../model/payload.ts';
import { getRuleModule, RULES } from '../payload/payload-rules.ts';
import type { SignedReader } from '../payload/rule-module.ts';
import { isTooLarge } from '../payload/signed/signed-value.ts';

/** The reader of a rule. */
export const getSignedReader = memoizeByObject(createReader);

/** A field that is too large is absent, whatever the rule. */
function createReader(rule: PayloadRule): SignedReader {
  const reader = getRuleModule(rule).reader(rule);
  return { fields: reader.fields, read: (payload, wanted) => withoutLarge(reader.read(payload, wanted)) };
}

function withoutLarge(content: SignedContent): SignedContent {
  const isLarge = Object.values(content).some(isTooLarge);
  return isLarge ? Object.fromEntries(Object.entries(content).filter(([, value]) => !isTooLarge(value))) : content;
}

/** The fields of all rules of a platform; a field of two types is `dyn`. */
export function mergeSignedFields(rules: readonly PayloadRule[]): SignedFields {
  const fields: Record<string, SignedType> = {};
  for (const rule of rules) {
    for (const [name, type] of Object.entries(getSignedReader(rule).fields)) {
      fields[name] = (fields[name] ?? type) === type ? type : 'dyn';
    }
  }
  return fields;
}

/** The fields of all rules, for policies whose platform is not known. */
export const ALL_SIGNED_FIELDS: SignedFields = Object.fromEntries(
  RULES.flatMap(({ fields }) => Object.keys(fields)).map((field) => [field, 'dyn']),
);
