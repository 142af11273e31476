import { z } from 'zod';
import {
  ACCOUNT_STATUSES,
  type AccountProfile,
  ENVIRONMENT_PATTERN,
  IDENTIFIER_PATTERN,
  MAX_OVERLAP_SECONDS,
} from './account.ts';
import { ALGORITHMS, describeAlgorithms } from './algorithm.ts';
import { DERIVATION_PATH_MESSAGE, isDerivationPath, KEY_FILE_FORMATS, type KeyFileReference } from './key-source.ts';
import { FIXED_VALUE_NAME_PATTERN, FIXED_VALUE_PATTERN } from './payload.ts';
import { isPrintable } from './text/unsafe-characters.ts';

const NAME_MESSAGE = 'contains an invalid name; a name has 1 to 32 letters, digits or _ and starts with a letter';

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

/** Template values from the configuration, see `FixedValues`. */
export const fixedValuesSchema = recordSchema(
  z.string().regex(FIXED_VALUE_NAME_PATTERN, NAME_MESSAGE),
  z.string().regex(FIXED_VALUE_PATTERN, 'must be 1 to 256 visible ASCII characters without spaces'),
  NAME_MESSAGE,
);

export const identifierSchema = z
  .string()
  .regex(IDENTIFIER_PATTERN, 'must be 1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit');

/** Without control characters (C0, DEL, C1); length in code points. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects them.
const ALIAS_PATTERN = /^[^\x00-\x1f\x7f-\x9f]{1,128}$/u;
const PRIVATE_USE = /\p{Co}/u;
const ALIAS_MESSAGE = 'must be 1 to 128 printable characters';
const PUBLIC_KEY_PATTERN = /^[\x21-\x7e]{1,800}$/;
const OVERLAP_MESSAGE = `must be 1 to ${MAX_OVERLAP_SECONDS} seconds`;
const PATH_MESSAGE = 'must be a file path of 1 to 4096 characters';

const path = z
  .string()
  .min(1, PATH_MESSAGE)
  .max(4096, { error: PATH_MESSAGE, abort: true })
  .refine((text) => !text.includes('\0'), PATH_MESSAGE)
  .describe('Path of a file; relative paths start at the folder of this credentials file.');

/** Where the private key of an account is. */
export type KeySource =
  /** Sealed under a master key, see {@link SEALED_KEY_PATTERN}. */
  | { readonly sealed: string }
  | KeyFileReference
  /** For development only. */
  | { readonly plaintext: string };

/** An account as configured. Null where the operator left a field to the service. */
export interface ConfiguredAccount extends Omit<AccountProfile, 'publicKey' | 'address' | 'createdAt'> {
  /** The expected public key; a mismatch is a load error. */
  readonly publicKey: string | null;
  readonly createdAt: string | null;
  /** See `Account.overlapSeconds`; absent: 0. */
  readonly overlapSeconds?: number;
  readonly key: KeySource;
}

/**
 * `v1.<master key id, 16 hex digits>.<24-byte nonce>.<ciphertext and 16-byte tag>`, the last two in
 * unpadded base64url; a key has 1 to 2400 bytes.
 */
export const SEALED_KEY_PATTERN = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{32})\.([A-Za-z0-9_-]{23,3222})$/;

const key = z
  .union(
    [
      z.strictObject({
        sealed: z
          .string()
          .refine(
            (text) => SEALED_KEY_PATTERN.test(text),
            'must be a sealed key written by `signing-service account add`',
          )
          .describe('Private key sealed under the master key, bound to this account: v1.<keyId>.<nonce>.<ciphertext>.'),
      }),
      z
        .strictObject({
          file: path,
          format: z
            .enum(KEY_FILE_FORMATS)
            .optional()
            .describe(
              "Format of the key file; solana is the keypair file of solana-keygen, base64url, mnemonic a BIP-39 phrase for secp256k1, utf8 and base64-text are for HMAC secrets. Default: detected; for HMAC the platform's secretDecoding.",
            ),
          passwordFile: path.optional(),
          derivationPath: z
            .string()
            .refine(isDerivationPath, DERIVATION_PATH_MESSAGE)
            .optional()
            .describe(
              "BIP-32 path of the key of a mnemonic. Default: m/44'/118'/0'/0/0 for cosmos, m/44'/60'/0'/0/0 for Ethereum.",
            ),
        })
        .refine(({ format, derivationPath }) => derivationPath === undefined || format === 'mnemonic', {
          path: ['derivationPath'],
          message: 'is only allowed with format mnemonic',
        })
        .refine(
          ({ format, passwordFile }) => passwordFile === undefined || ['keystore', 'pem', undefined].includes(format),
          {
            path: ['passwordFile'],
            message: 'is only allowed with format keystore or pem',
          },
        ),
      z.strictObject({
        plaintext: z
          .string()
          .min(1, 'must not be empty')
          .max(256, 'must have at most 256 characters')
          .describe(
            "For development only: hex or base58; for HMAC a text in the platform's secretDecoding. Rejected unless SIGNING_ALLOW_PLAINTEXT_KEYS=true.",
          ),
      }),
    ],
    { error: 'must be exactly one of {"sealed": …}, {"file": …} and {"plaintext": …}' },
  )
  .describe('Source of the private key.');

export const accountSchema = z
  .strictObject({
    platformId: identifierSchema,
    accountId: identifierSchema,
    alias: z
      .string()
      .regex(ALIAS_PATTERN, { error: ALIAS_MESSAGE, abort: true })
      .refine((alias) => isPrintable(alias) && !PRIVATE_USE.test(alias), ALIAS_MESSAGE)
      .optional()
      .describe('Display name. Default: the accountId.'),
    status: z.enum(ACCOUNT_STATUSES).default('active'),
    environment: z
      .string()
      .regex(ENVIRONMENT_PATTERN, 'must be 1 to 32 lowercase letters, digits or -, starting with a letter')
      .default('production'),
    algorithm: z.enum(ALGORITHMS),
    publicKey: z
      .string()
      .regex(PUBLIC_KEY_PATTERN, 'must be a public key in the encoding of the algorithm')
      .optional()
      .describe(`Expected public key, as shown by \`account add\`: ${describeAlgorithms('publicKey')}.`),
    createdAt: z.iso.datetime('must be a UTC time such as 2026-11-20T00:00:00.000Z').optional(),
    values: fixedValuesSchema
      .optional()
      .describe(
        'Values of {account.NAME} in the payload rule templates of the platform, or the StarkNet address. No secrets.',
      ),
    overlapSeconds: z
      .int('must be an integer')
      .min(1, OVERLAP_MESSAGE)
      .max(MAX_OVERLAP_SECONDS, OVERLAP_MESSAGE)
      .optional()
      .describe(
        'Seconds that a service keeps the key which this key replaced, for requests in progress and POST /verify. Default: none.',
      ),
    key,
  })
  .refine((account) => !('sealed' in account.key) || account.publicKey !== undefined, {
    path: ['publicKey'],
    message: 'is required with a sealed key, which is bound to it',
  })
  .transform(
    ({ publicKey, createdAt, alias, values, overlapSeconds, ...others }): ConfiguredAccount => ({
      ...others,
      alias: alias ?? others.accountId,
      publicKey: publicKey ?? null,
      createdAt: createdAt === undefined ? null : new Date(createdAt).toISOString(),
      ...(values === undefined ? {} : { values }),
      ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
    }),
  );
