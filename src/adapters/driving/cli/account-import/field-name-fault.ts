import { closest, distance } from 'fastest-levenshtein';
import { FIXED_VALUE_NAME_PATTERN } from '../../../../domain/model/fixed-values.ts';
import { IMPORT_FIELDS } from './import-row.ts';
import { FIELD_OF_KEYS } from './looks-like-key.ts';

/** Words. Other names may be anything: where the line that names the columns was forgotten, an id, or a secret of letters and digits. */
const QUOTABLE_NAME = /^[A-Za-z][A-Za-z_. -]{0,23}$/;
const KNOWN = `there are ${IMPORT_FIELDS.join(', ')} and values.NAME`;
const SECRET_NAME = /key|secret|seed|mnemonic|private|password|passphrase|pem/i;

/** What is wrong with the name of a column or member that no account has, as a clause about it. */
export function fieldNameFault(name: string): { readonly field: string | null; readonly message: string } {
  if (!QUOTABLE_NAME.test(name)) return { field: null, message: `has a field whose name is not known; ${KNOWN}` };
  const nearest = closest(name, IMPORT_FIELDS);
  if (distance(name.toLowerCase(), nearest.toLowerCase()) <= 2) {
    return { field: name, message: `is not a known field; did you mean ${nearest}?` };
  }
  if (SECRET_NAME.test(name)) return { field: name, message: FIELD_OF_KEYS };
  return { field: name, message: `is not a known field; ${KNOWN}` };
}

/** The name of a fixed value in `values.NAME`; undefined for a text that is none. */
export function valueNameOf(text: string): string | undefined {
  const [head, name = ''] = text.split(/\.(.*)/s);
  return head === 'values' && FIXED_VALUE_NAME_PATTERN.test(name) ? name : undefined;
}
