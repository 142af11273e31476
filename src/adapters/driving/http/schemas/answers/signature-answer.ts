import { z } from 'zod';
import { ALGORITHMS } from '../../../../../domain/model/algorithm.ts';
import { SIGNATURE_ENCODINGS } from '../../../../../domain/model/signature-encoding.ts';
import { moment, oneOfMore } from './answer-fields.ts';
import { includedPayloadFields } from './included-payload.ts';

/** The signature's text. */
export const signatureText = z.string().min(1).describe("In the encoding of the account's platform.");

/** The account's algorithm. */
export const algorithm = oneOfMore(ALGORITHMS).describe("The account's algorithm.");

/** The account's public key. */
export const publicKey = z
  .string()
  .describe(
    "The account's: base58 of 32 bytes for `ed25519`; 0x-hex of the 65-byte uncompressed point for `eip191`, `eip712` and `hyperliquid-l1`; for HMAC, which has none, `hmac:` and 16 hex digits that tell secrets apart.",
  );

/** `data` of `POST /sign`: the specification's Signature result. */
export const signatureAnswer = z.object({
  signature: signatureText,
  algorithm,
  encoding: oneOfMore(SIGNATURE_ENCODINGS).describe(
    "The platform's, else `base58` for `ed25519`, `0x-hex` for `eip191`, `eip712` and `hyperliquid-l1`, and `hex` (without `0x`) for HMAC.",
  ),
  publicKey,
  signedAt: moment,
  ...includedPayloadFields,
});

/** See {@link signatureAnswer}. */
export type SignatureAnswer = z.infer<typeof signatureAnswer>;
