import { z } from 'zod';
import { count, extensibleEnum, isoDateTime } from './response-fields.ts';
import { algorithm, publicKey } from './signature-responses.ts';

const label = {
  accountId: z.string().describe('Unique within its platform.'),
  platformId: z.string(),
  alias: z.string().describe('For people.'),
  status: extensibleEnum(['active', 'disabled']).describe("The account's own; `disabled` accounts sign nothing."),
  environment: z.string().describe('A word of the operator, `production` by default.'),
};

const platformStatus = extensibleEnum(['disabled'])
  .exactOptional()
  .describe('Only where the platform is disabled: the account signs nothing, whatever its own status.');

const address = z
  .string()
  .exactOptional()
  .describe('Ethereum address with the checksum of EIP-55: of `eip191`, `eip712` and `hyperliquid-l1` accounts alone.');

/** An account in the list, as in the specification. */
export const accountEntry = z.object({
  ...label,
  platformStatus,
  usage: z.object({
    totalSigns: count.describe('Signatures on the audit record.'),
    lastSignAt: isoDateTime.nullable().describe('ISO 8601 UTC; null before the first signature.'),
    errorCount: count.describe('Attempts that ended without a signature, refused ones included.'),
  }),
  address,
});

/** See {@link accountEntry}. */
export type AccountEntry = z.infer<typeof accountEntry>;

/** `data` of `GET /accounts`. */
export const accountsResponse = z.object({
  accounts: z.array(accountEntry),
  total: count.describe('Accounts in this answer.'),
  nextCursor: z
    .string()
    .nullable()
    .exactOptional()
    .describe('Only with `limit`: what `cursor` takes for the next page; null on the last one.'),
});

/** See {@link accountsResponse}. */
export type AccountsResponse = z.infer<typeof accountsResponse>;

/** `data` of `GET /accounts/{platformId}/{accountId}`, as in the specification. */
export const accountResponse = z.object({
  ...label,
  platformStatus,
  algorithm,
  publicKey,
  address,
  createdAt: isoDateTime,
  lastUsed: isoDateTime.nullable().describe('ISO 8601 UTC; null before the first signature.'),
});

/** See {@link accountResponse}. */
export type AccountResponse = z.infer<typeof accountResponse>;
