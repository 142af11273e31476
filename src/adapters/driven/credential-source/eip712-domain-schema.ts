import { isAddress } from 'ethers/address';
import { z } from 'zod';
import { isWellFormedText } from '../../../domain/payload/signable-json.ts';

const DECIMAL_PATTERN = /^(?:0|[1-9][0-9]{0,77})$/;
const CHAIN_MESSAGE = 'must be a whole number below 2^256, or its decimal digits as a text';
const ADDRESS_MESSAGE = 'must be an address: 0x and 40 hex digits, in one case or with a right EIP-55 checksum';

const text = z.string().refine(isWellFormedText, 'must be well-formed Unicode; it holds a lone surrogate');

/** Members of an EIP-712 domain ("Definition of domainSeparator"), each optional, at least one. */
export const eip712DomainSchema = z
  .strictObject({
    name: text.optional(),
    version: text.optional(),
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
      .optional(),
    verifyingContract: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{40}$/, { error: ADDRESS_MESSAGE, abort: true })
      .refine((address) => isAddress(address), ADDRESS_MESSAGE)
      .optional(),
    salt: z
      .string()
      .regex(/^0x[0-9A-Fa-f]{64}$/, 'must be 32 bytes: 0x and 64 hex digits')
      .optional(),
  })
  .refine((domain) => Object.keys(domain).length > 0, 'must have at least one member');
