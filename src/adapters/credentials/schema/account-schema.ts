import { z } from 'zod';
import { ACCOUNT_STATUSES, ENVIRONMENT_PATTERN, IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { FIXED_VALUE_NAME_PATTERN, FIXED_VALUE_PATTERN } from '../../../domain/model/payload-rule.ts';
import { isPrintable } from '../../../domain/model/text/unsafe-characters.ts';
import { KEY_FILE_FORMATS } from '../../../ports/credential-editor.ts';
import { isSealedKeyText } from './sealed-key-text.ts';

const NAME_MESSAGE = 'has a name that is not 1 to 32 letters, digits or _ with a letter first';

/** A `z.record` that rejects the name `__proto__`, which `z.record` skips whatever `names` says. */
export function recordSchema<Value extends z.ZodType>(names: z.ZodString, values: Value, nameMessage: string) {
  return z.preprocess(
    (record, context) => {
      if (typeof record === 'object' && record !== null && Object.hasOwn(record, '__proto__')) {
        context.addIssue({ code: 'custom', message: nameMessage });
      }
      return record;
    },
    z.record(names, values),
  );
}

/** Template values from the configuration, see `domain/model/payload-rule.ts`. */
export const fixedValuesSchema = recordSchema(
  z.string().regex(FIXED_VALUE_NAME_PATTERN, NAME_MESSAGE),
  z.string().regex(FIXED_VALUE_PATTERN, 'must be 1 to 256 visible ASCII characters, no blank'),
  NAME_MESSAGE,
);

export const identifierSchema = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 letters, digits or . _ : @ + -, with a letter or digit first');

/** Without control characters (C0, DEL, C1); length in code points. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is there to refuse them.
const ALIAS_PATTERN = /^[^\x00-\x1f\x7f-\x9f]{1,128}$/u;
const PRIVATE_USE = /\p{Co}/u;
const ALIAS_MESSAGE = 'must be 1 to 128 printable characters';
const PUBLIC_KEY_PATTERN = /^[\x21-\x7e]{1,256}$/;
const PATH_MESSAGE = 'must be the path of a file, 1 to 4096 characters';

const path = z
  .string()
  .min(1, PATH_MESSAGE)
  .max(4096, { error: PATH_MESSAGE, abort: true })
  .refine((text) => !text.includes('\0'), PATH_MESSAGE)
  .describe('Path of a file; a relative one starts at the folder of this credentials file.');

const key = z
  .union(
    [
      z.strictObject({
        sealed: z
          .string()
          .refine(isSealedKeyText, 'must be a sealed key as `signing-service account add` writes it')
          .describe('The private key under the master key, bound to this account: v1.<keyId>.<nonce>.<ciphertext>.'),
      }),
      z
        .strictObject({
          file: path,
          format: z
            .enum(KEY_FILE_FORMATS)
            .optional()
            .describe(
              "How the file writes the key; solana is the keypair file of solana-keygen, utf8 and base64-text are for HMAC secrets. Default: told from its content, for HMAC the platform's secretDecoding.",
            ),
          passwordFile: path.optional(),
        })
        .refine(({ format, passwordFile }) => passwordFile === undefined || (format ?? 'keystore') === 'keystore', {
          path: ['passwordFile'],
          message: 'belongs to format keystore only',
        }),
      z.strictObject({
        plaintext: z
          .string()
          .min(1, 'must not be empty')
          .max(256, 'must be at most 256 characters')
          .describe(
            "For development only: hex or base58, for HMAC a text as the platform's secretDecoding says. Refused unless SIGNING_ALLOW_PLAINTEXT_KEYS=true.",
          ),
      }),
    ],
    { error: 'must be exactly one of {"sealed": …}, {"file": …} and {"plaintext": …}' },
  )
  .describe('Where the private key is.');

export const accountSchema = z
  .strictObject({
    platformId: identifierSchema,
    accountId: identifierSchema,
    alias: z
      .string()
      .regex(ALIAS_PATTERN, { error: ALIAS_MESSAGE, abort: true })
      .refine((alias) => isPrintable(alias) && !PRIVATE_USE.test(alias), ALIAS_MESSAGE)
      .optional()
      .describe('Label for people. Default: the accountId.'),
    status: z.enum(ACCOUNT_STATUSES).default('active'),
    environment: z
      .string()
      .regex(ENVIRONMENT_PATTERN, 'must be 1 to 32 of a-z, 0-9 and -, with a letter first')
      .default('production'),
    algorithm: z.enum(ALGORITHMS),
    publicKey: z
      .string()
      .regex(PUBLIC_KEY_PATTERN, 'must be a public key in the text form of the algorithm')
      .optional()
      .describe(
        'Public key that the key must have: ed25519 base58; eip191, eip712, hyperliquid-l1 0x-hex of the 65-byte uncompressed point; HMAC the identifier ' +
          'of the secret that `account add` shows.',
      ),
    createdAt: z.iso.datetime('must be a time in UTC such as 2026-11-20T00:00:00.000Z').optional(),
    values: fixedValuesSchema
      .optional()
      .describe("What {account.NAME} stands for in the templates of its platform's payload rules. No secrets."),
    key,
  })
  .refine((account) => !('sealed' in account.key) || account.publicKey !== undefined, {
    path: ['publicKey'],
    message: 'is required beside a sealed key, which is bound to it',
  });

/** An entry of `accounts`. */
export type AccountEntry = z.output<typeof accountSchema>;
