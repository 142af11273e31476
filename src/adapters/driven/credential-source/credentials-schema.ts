import { z } from 'zod';
import { ACCOUNT_STATUSES } from '../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { DATA_FORMATS } from '../../../domain/model/data-format.ts';
import { ENVIRONMENT_PATTERN, IDENTIFIER_PATTERN } from '../../../domain/model/identifier.ts';
import { SIGNATURE_ENCODINGS } from '../../../domain/model/signature-encoding.ts';
import { findTemplateIssue } from '../../../domain/payload/prehash.ts';
import { KEY_FILE_FORMATS } from '../../../ports/credential-editor.ts';
import { isSealedKeyText } from './sealed-key.ts';

/*
 * A pattern that is given to `regex` gets published in config/credentials.schema.json, for validators in any language: `\p{…}`, `\u…`, `\0` and
 * repetitions beyond 1000 are not known to all of them.
 */

/** No control character (C0, DEL, C1); the length counts code points. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is there to refuse them.
const ALIAS_PATTERN = /^[^\x00-\x1f\x7f-\x9f]{1,128}$/u;
/** Control, format, surrogate, private-use and line-separating characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const ALIAS_MESSAGE = 'must be 1 to 128 printable characters';
const PUBLIC_KEY_PATTERN = /^[\x21-\x7e]{1,256}$/;
/** Dotted names: 1 to 8 of 1 to 64 characters each. */
const CLEAR_PATH_PATTERN = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;
const PATH_MESSAGE = 'must be the path of a file, 1 to 4096 characters';

const identifier = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 letters, digits or . _ : @ + -, with a letter or digit first');

const path = z
  .string()
  .min(1, PATH_MESSAGE)
  .max(4096, { error: PATH_MESSAGE, abort: true })
  .refine((text) => !text.includes('\0'), PATH_MESSAGE)
  .describe('Path of a file; a relative one starts at the folder of this credentials file.');

const field = z.string().min(1, 'must name a field of data').max(128, 'must be at most 128 characters');

const template = z.string().superRefine((text, context) => {
  const issue = findTemplateIssue(text);
  if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
});

const payload = z
  .discriminatedUnion('rule', [
    z.strictObject({ rule: z.literal('jcs'), field: field.optional() }),
    z.strictObject({ rule: z.literal('query'), field: field.optional() }),
    z.strictObject({ rule: z.literal('prehash'), template: template.optional() }),
    z.strictObject({ rule: z.literal('raw') }),
  ])
  .describe('How the bytes to sign are made from the data of a request. Default: by format.');

const clearPath = z
  .string()
  .regex(CLEAR_PATH_PATTERN, 'must be 1 to 8 names joined by dots, each of 1 to 64 letters, digits or _ -')
  .refine(
    (text) => !text.split('.').includes('__proto__'),
    'must not name __proto__, which no data that gets signed has',
  );

const audit = z.strictObject({
  clear: z
    .array(clearPath)
    .max(64, 'must name at most 64 paths')
    .refine((paths) => new Set(paths).size === paths.length, 'must not name a path twice')
    .meta({ uniqueItems: true })
    .describe(
      'Members of the data of a request, such as amount or instruction.price, whose numbers, booleans and short texts audit records show in clear, ' +
        'beside what they show by format.',
    ),
});

/** One entry of `platforms`. */
export const platformSchema = z
  .strictObject({
    platformId: identifier,
    format: z.enum(DATA_FORMATS).describe('Shape of the data in signing requests.'),
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1, 'must name at least one algorithm')
      .refine((names) => new Set(names).size === names.length, 'must not name an algorithm twice')
      .meta({ uniqueItems: true })
      .optional()
      .describe('Algorithms that accounts of this platform may have. Default: by format.'),
    encoding: z.enum(SIGNATURE_ENCODINGS).optional().describe('Text encoding of signatures. Default: by algorithm.'),
    payload: payload.optional(),
    audit: audit.optional().describe('What audit records show of the data of a request. Default: by format.'),
  })
  .refine(({ format, payload }) => payload?.rule !== 'raw' || format === 'any', {
    path: ['payload', 'rule'],
    message:
      "can't be raw for formats A to D, whose data is never the one field text, hex or base64 that raw takes; " +
      'set format to any, or rule to jcs, query or prehash',
  });

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
              'How the file writes the key; solana is the keypair file of solana-keygen. Default: told from its content.',
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
          .describe('For development only: hex or base58. Refused unless SIGNING_ALLOW_PLAINTEXT_KEYS=true.'),
      }),
    ],
    { error: 'must be exactly one of {"sealed": …}, {"file": …} and {"plaintext": …}' },
  )
  .describe('Where the private key is.');

/** One entry of `accounts`. */
export const accountSchema = z
  .strictObject({
    platformId: identifier,
    accountId: identifier,
    alias: z
      .string()
      .regex(ALIAS_PATTERN, { error: ALIAS_MESSAGE, abort: true })
      .refine((alias) => !UNPRINTABLE.test(alias), ALIAS_MESSAGE)
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
      .describe('Public key that the key must have: ed25519 base58, eip191 0x-hex of the 65-byte uncompressed point.'),
    createdAt: z.iso.datetime('must be a time in UTC such as 2026-11-20T00:00:00.000Z').optional(),
    key,
  })
  .refine((account) => !('sealed' in account.key) || account.publicKey !== undefined, {
    path: ['publicKey'],
    message: 'is required beside a sealed key, which is bound to it',
  });

/** The whole credentials file. What it does not know is an error, so that a misspelt field can't silently lose its meaning. */
export const credentialsFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema; the service does not read it.'),
  version: z.literal(1, 'must be 1, the one version that this release reads'),
  platforms: z.array(platformSchema),
  accounts: z.array(accountSchema),
});

/** What a right credentials file says, `status` and `environment` filled in. */
export type CredentialsContent = z.output<typeof credentialsFileSchema>;

/** The same as it is written in the file. */
export type WrittenCredentials = z.input<typeof credentialsFileSchema>;

/** One platform as the file gives it. */
export type PlatformEntry = z.output<typeof platformSchema>;

/** One account as the file gives it. */
export type AccountEntry = z.output<typeof accountSchema>;
