import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import { recordSchema } from '../model/configured-account.ts';
import type { Issue } from '../model/errors.ts';
import { isChecksummed } from './typed-data/eip712.ts';

/** Member of `data`. */
export const fieldName = z.string().min(1, 'must name a field of data').max(128, 'must have at most 128 characters');

/** Text of a template or domain. */
export const wellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode; it contains a lone surrogate');

/** @param findIssue its path is not read */
export function templateSchema(findIssue: (text: string) => Issue | undefined) {
  return z
    .string()
    .max(1000, 'must have at most 1000 characters')
    .superRefine((text, context) => {
      const issue = findIssue(text);
      if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message });
    });
}

/**
 * Forms of `data.timestamp`: ISO 8601 UTC with milliseconds, milliseconds or seconds since
 * 1970-01-01T00:00:00Z, or seconds that may have decimals.
 */
export const timestampForm = z.enum(['iso', 'ms', 's', 's-fraction']);

/** See {@link timestampForm}. */
export type TimestampForm = z.output<typeof timestampForm>;

/** How parameters are encoded. `none`: for platforms that sign before encoding. */
export const queryEncoding = z
  .enum(['percent', 'none'])
  .exactOptional()
  .describe('percent: RFC 3986 (default). none: names and values unchanged.');

const PARAMETERS_MESSAGE = 'contains an invalid name; a name has 1 to 128 characters';

/** How `k=v&k=v` is written. */
export const queryStyle = {
  sort: z.boolean().exactOptional().describe('Sort by name, in ASCII order. Default: false, the order sent.'),
  encode: queryEncoding,
  parameters: recordSchema(
    z.string().min(1, PARAMETERS_MESSAGE).max(128, PARAMETERS_MESSAGE),
    z.enum(['required', 'excluded']),
    PARAMETERS_MESSAGE,
  )
    .exactOptional()
    .describe(
      'Parameters that a request must have (required) or must not have (excluded), such as those by which the venue tells requests of another rule of the same key apart. Default: any.',
    ),
};

const queryStyleSchema = z.strictObject(queryStyle);

/** See {@link queryStyle}. */
export type QueryStyle = z.output<typeof queryStyleSchema>;

/** What a body is, and how an object is rendered; `json-or-form`: an object as JSON. */
export const bodyForm = z.enum(['json', 'json-or-form', 'form', 'form-sorted', 'form-sorted-unencoded']);

/** See {@link bodyForm}. */
export type BodyForm = z.output<typeof bodyForm>;

/** The body itself, or its hash in lowercase hex. */
export const bodyHash = z.enum(['none', 'sha256', 'sha512']);

/** See {@link bodyHash}. */
export type BodyHash = z.output<typeof bodyHash>;

const PATH_START_PATTERN = /^\/[A-Za-z0-9/._~-]*$/;

/** Requirements on `data.path`, for venues that sign less or more than the path of the URL. */
export const pathForm = z
  .strictObject({
    start: z
      .string()
      .max(64, 'must have at most 64 characters')
      .regex(PATH_START_PATTERN, 'must start with /, followed by letters, digits and any of / - . _ ~')
      .exactOptional()
      .describe('Text that it starts with, such as /v2/.'),
    query: z
      .enum(['none'])
      .exactOptional()
      .describe('none: it must not have a query, which the venue does not sign. Default: as the template allows.'),
  })
  .refine((form) => Object.keys(form).length > 0, 'must have at least one member');

/** See {@link pathForm}. */
export type PathForm = z.output<typeof pathForm>;

const DECIMAL_PATTERN = /^(?:0|[1-9][0-9]{0,77})$/;
const CHAIN_MESSAGE = 'must be an integer from 0 to 2^256 - 1, or its decimal digits as a string';
const ADDRESS_MESSAGE = 'must be an address: 0x and 40 hex digits, in one case or with a valid EIP-55 checksum';

/** EIP-712 domain members ("Definition of domainSeparator"), at least one. */
export const eip712Domain = z
  .strictObject({
    name: wellFormedText.exactOptional(),
    version: wellFormedText.exactOptional(),
    chainId: z
      .union(
        [
          z.int(CHAIN_MESSAGE).min(0, CHAIN_MESSAGE),
          z
            .string()
            .regex(DECIMAL_PATTERN, { error: CHAIN_MESSAGE, abort: true })
            .refine((digits) => BigInt(digits) < 2n ** 256n, CHAIN_MESSAGE),
        ],
        CHAIN_MESSAGE,
      )
      .exactOptional(),
    verifyingContract: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{40}$/, { error: ADDRESS_MESSAGE, abort: true })
      .refine((address) => isChecksummed(address.slice(2), keccak_256), ADDRESS_MESSAGE)
      .exactOptional(),
    salt: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{64}$/, 'must be 32 bytes: 0x and 64 hex digits')
      .exactOptional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');
