import { z } from 'zod';
import { ETHEREUM_ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { count } from '../../../domain/model/refusal.ts';
import { joinNames } from '../../../domain/model/text/wording.ts';
import { extensibleEnum, isoDateTime } from './response-fields.ts';
import { algorithm, publicKey } from './signature-responses.ts';

const label = {
  accountId: z.string().describe('Unique within the platform.'),
  platformId: z.string(),
  alias: z.string().describe('Display name.'),
  status: extensibleEnum(['active', 'disabled']).describe(
    'Status of the account itself; a `disabled` account cannot sign.',
  ),
  environment: z.string().describe('Label set by the operator; `production` by default.'),
};

const platformStatus = extensibleEnum(['disabled'])
  .exactOptional()
  .describe('Only if the platform is disabled: the account cannot sign even if its status is active.');

const ETHEREUM_NAMES = joinNames(
  ETHEREUM_ALGORITHMS.map((name) => `\`${name}\``),
  'and',
);

const address = z
  .string()
  .exactOptional()
  .describe(`Ethereum address with EIP-55 checksum; only for ${ETHEREUM_NAMES} accounts.`);

/** An account in the list, as in the specification. */
export const accountEntry = z.object({
  ...label,
  platformStatus,
  usage: z.object({
    totalSigns: count.describe('Number of signatures in the audit log.'),
    lastSignAt: isoDateTime.nullable().describe('ISO 8601 UTC; null before the first signature.'),
    errorCount: count.describe('Number of attempts that ended without a signature, including refused ones.'),
  }),
  address,
});

/** See {@link accountEntry}. */
export type AccountEntry = z.infer<typeof accountEntry>;

/** `data` of `GET /accounts`. */
export const accountsResponse = z.object({
  accounts: z.array(accountEntry),
  total: count.describe('Number of accounts in this response.'),
  nextCursor: z
    .string()
    .nullable()
    .exactOptional()
    .describe('Only with `limit`: the `cursor` of the next page; null on the last page.'),
});

/** See {@link accountsResponse}. */
export type AccountsResponse = z.infer<typeof accountsResponse>;

/** `data` of `GET /accounts/{platformId}/{accountId}`, as in the specification. */
export const accountResponse = z.object({
  ...label,
  platformStatus,
  algorithm,
  publicKey,
  keyId: z
    .string()
    .describe(
      'Short name of the key in audit records: the first 16 hex digits of the SHA-256 of `publicKey`; for HMAC `publicKey` itself.',
    ),
  address,
  createdAt: isoDateTime,
  lastUsed: isoDateTime.nullable().describe('ISO 8601 UTC; null before the first signature.'),
});

/** See {@link accountResponse}. */
export type AccountResponse = z.infer<typeof accountResponse>;
