import type { Payload } from '../../../domain/model/payload.ts';
import type { IncludedPayload } from './schemas/answers/included-payload.ts';

/**
 * What `?include=payload` adds to an answer: the exact text that was signed, or, where bytes are no text, their hex or base64 with
 * `payloadEncoding` to say so; and in `payloadParts` what has to be sent exactly so, where the service wrote it or took it from the configuration.
 */
export function includedPayload({ text, encoding, parts }: Payload, wanted: boolean): IncludedPayload {
  if (!wanted) return {};
  return {
    payload: text,
    ...(encoding === 'utf8' ? {} : { payloadEncoding: encoding }),
    ...(parts === undefined ? {} : { payloadParts: { ...parts } }),
  };
}
