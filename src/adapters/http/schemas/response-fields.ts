import { z } from 'zod';

/** A timestamp, ISO 8601 in UTC. */
export const isoDateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 UTC' });

/**
 * A value of a list that may grow in version 1 (docs/callers/api.md, Compatibility): published as
 * `x-extensible-enum`, so that generated clients accept unknown values.
 */
export function extensibleEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values).meta({ isExtensible: true });
}

/** The fields of `?include=payload`. */
export const includedPayloadFields = {
  payload: z
    .string()
    .exactOptional()
    .describe(
      'Only with `?include=payload` and in dry runs: the exact text that was signed, or with `payloadEncoding` the signed bytes in hex or base64.',
    ),
  payloadEncoding: z
    .enum(['hex', 'base64'])
    .exactOptional()
    .describe('Only if the payload is not text: the encoding of `payload`.'),
  payloadParts: z
    .object({
      timestamp: z.string().exactOptional(),
      method: z.string().exactOptional().describe('In upper or lower case, as signed.'),
      path: z.string().exactOptional(),
      query: z.string().exactOptional().describe('Without `?`; of rule `query` the parameters alone.'),
      body: z.string().exactOptional().describe('Before it is hashed.'),
      data: z
        .record(z.string(), z.string())
        .exactOptional()
        .describe('Other members of `data` that are signed as texts of their own, such as a nonce.'),
      values: z
        .record(z.string(), z.string())
        .exactOptional()
        .describe(
          'Fixed values of the account, such as an API key; `passphrase` is not signed. Absent in denied dry runs and from `POST /verify`.',
        ),
    })
    .exactOptional()
    .describe(
      'Only with `?include=payload` and in dry runs: the signed texts by name, to be sent unchanged. Empty if the rule signs one structure.',
    ),
};

const includedPayload = z.object(includedPayloadFields);

/** See {@link includedPayloadFields}. */
export type IncludedPayload = z.infer<typeof includedPayload>;

/** The field of `?include=request`. */
export const includedRequestFields = {
  request: z
    .object({
      method: z.string().exactOptional(),
      url: z.string().exactOptional(),
      headers: z.record(z.string(), z.string()).exactOptional(),
      body: z.string().exactOptional().describe('Absent: no body.'),
      message: z.string().exactOptional().describe('In place of the others: the JSON message of a WebSocket.'),
      missing: z
        .array(z.string())
        .describe(
          'What the service does not hold, such as a passphrase: each name is in the texts as `{name}`, to be replaced.',
        ),
    })
    .exactOptional()
    .describe(
      'Only with `?include=request`: the signed request as the venue takes it. Send it unchanged but for the names in `missing`. In an allowed dry run `signature` is among them; a denied one has no request.',
    ),
};

const includedRequest = z.object(includedRequestFields);

/** See {@link includedRequestFields}. */
export type IncludedRequest = z.infer<typeof includedRequest>;
