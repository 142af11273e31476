import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { ACCOUNT_STATUSES } from '../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { KEY_FILE_FORMATS } from '../../../domain/model/key-source.ts';
import { FIXED_VALUE_NAME_PATTERN } from '../../../domain/model/payload.ts';

/** Private keys as texts. IDs, labels and paths do not look like this. */
const KEY_PATTERNS: readonly RegExp[] = [
  // 32 or 64 bytes in hex (Ed25519, secp256k1) and padded base64; 64 in base58, as of Solana wallets.
  /^(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128})$/i,
  /^(?=(?:.{44}|.{88})$)[A-Za-z0-9+/]+={1,2}$/,
  /^[1-9A-HJ-NP-Za-km-z]{85,90}$/,
  // PEM, an array of bytes, a mnemonic.
  /-----BEGIN/,
  /^\[/,
  /^(?:[a-z]{3,8} ){11,}[a-z]{3,8}$/,
];

/** Whether a text looks like a private key. */
export function resemblesKey(text: string): boolean {
  return KEY_PATTERNS.some((pattern) => pattern.test(text));
}

const INSTEAD =
  'an import file must not contain keys. Write each key to its own file, readable only by you, and put its path in keyFile';
const KEY_IN_FILE = `looks like a key: ${INSTEAD}`;

const text = z.string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') });
const free = text.refine((given) => !resemblesKey(given), KEY_IN_FILE);
const value = text.refine((given) => !given.includes('-----BEGIN'), KEY_IN_FILE);
const oneOf = <const Word extends string>(words: readonly Word[]) =>
  z.enum(words, `must be one of ${words.join(', ')}`).optional();

const accountSchema = z.strictObject(
  {
    platformId: free,
    accountId: free,
    algorithm: oneOf(ALGORITHMS),
    alias: free.optional(),
    environment: free.optional(),
    status: oneOf(ACCOUNT_STATUSES),
    keyFile: free.optional(),
    keyFormat: oneOf(KEY_FILE_FORMATS),
    passwordFile: free.optional(),
    passphraseFile: free.optional(),
    derivationPath: free.optional(),
    values: z.record(z.string().regex(FIXED_VALUE_NAME_PATTERN), value, 'must be an object').optional(),
  },
  'must be an object',
);

/** An account of an import file; paths as written. */
export type ImportedFields = z.infer<typeof accountSchema>;

/** Fields of an account besides its values. */
export const IMPORT_FIELDS: readonly string[] = Object.keys(accountSchema.shape).filter((name) => name !== 'values');

/** An issue of an account. It quotes no value, which may be a misplaced key. */
export interface FieldIssue {
  /** Null if it is not about a field. */
  readonly field: string | null;
  /** A clause about the field or the account. */
  readonly message: string;
}

/** Validates an account as far as possible without the configuration; returns it, or its issues. */
export function parseFields(content: unknown): ImportedFields | readonly FieldIssue[] {
  const { data, error } = accountSchema.safeParse(content);
  return data ?? error.issues.flatMap(toFieldIssues);
}

function toFieldIssues(issue: z.core.$ZodIssue): readonly FieldIssue[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(findNameIssue);
  if (issue.code === 'invalid_key') return [{ field: 'values', message: VALUE_NAME }];
  return [{ field: issue.path.length === 0 ? null : issue.path.join('.'), message: issue.message }];
}

const VALUE_NAME = 'has an invalid name: use 1 to 32 letters, digits or _ beginning with a letter';

/** Whether a column has that name. */
export function isColumn(name: string): boolean {
  const [head, valueName = ''] = name.split(/\.(.*)/s);
  return IMPORT_FIELDS.includes(name) || (head === 'values' && FIXED_VALUE_NAME_PATTERN.test(valueName));
}

/** Names that messages may quote. Without a header line, others could be IDs or secrets. */
const QUOTABLE_NAME = /^[A-Za-z][A-Za-z_. -]{0,23}$/;
const KNOWN = `known fields are ${IMPORT_FIELDS.join(', ')} and values.NAME`;
const SECRET_NAME = /key|secret|seed|mnemonic|private|password|passphrase|pem/i;

/** Issue of an unknown column or member. */
export function findNameIssue(name: string): FieldIssue {
  if (!QUOTABLE_NAME.test(name)) return { field: null, message: `has an unknown field; ${KNOWN}` };
  const nearest = closest(name, IMPORT_FIELDS);
  if (distance(name.toLowerCase(), nearest.toLowerCase()) <= 2) {
    return { field: name, message: `is an unknown field; did you mean ${nearest}?` };
  }
  const message = SECRET_NAME.test(name) ? `is an unknown field and looks like one for keys: ${INSTEAD}` : undefined;
  return { field: name, message: message ?? `is an unknown field; ${KNOWN}` };
}
