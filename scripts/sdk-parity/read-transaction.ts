import type { SentRequest } from './sdk-record.ts';
import type { SigningView } from './sent-request-parts.ts';

const HEX = 16;
const FELT_DIGITS = 64;

/** Paradex: `{domain, primaryType, types, message, signature}`, signed as the venue writes it. */
export function readParadex(request: SentRequest): SigningView {
  const { signature, ...data } = JSON.parse(request.body);
  const digits = JSON.parse(signature).map((number: string) => BigInt(number).toString(HEX).padStart(FELT_DIGITS, '0'));
  return { data, signature: `0x${digits.join('')}` };
}

/** A chain of the Cosmos SDK: `{signDoc, signature}`, both base64. */
export function readCosmos(request: SentRequest): SigningView {
  const { signDoc, signature } = JSON.parse(request.body);
  return { data: { signDoc }, signature };
}
