import { refuseRequest, toError } from '../../refusals.ts';
import { ROUTES } from '../../route.ts';
import type { BatchResponse, SignatureResponse, VerificationResponse } from '../../schemas/signature-responses.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_DATA, EXAMPLE_SECP256K1_KEY, EXAMPLE_SIGNATURE, EXAMPLE_TIME } from './example-data.ts';

const PATH = ROUTES.sign.path;

/** Sign and verify. */
export const SIGNING_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'sign',
    tag: 'Signing',
    summary: 'Sign one payload',
    description:
      "Signs `data` with the account's key. The platform's data format defines the form of `data`, and its payload rule the bytes to sign. With `rule`, one of the platform's named rules applies instead; it accepts any object.\n\nThe body is uncompressed `application/json` in UTF-8. Limit: 1,048,576 bytes. The signature is released only after its audit record is on disk.",
    parameters: ['IncludeSigned', 'DryRun'],
    request: 'SignRequest',
    response: { schema: 'SignatureOrDryRun', description: 'The signature, or the result of a dry run.' },
    examples: {
      formatA: {
        summary: 'Format A, ed25519',
        target: PATH,
        body: { platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A },
        response: {
          signature: EXAMPLE_SIGNATURE,
          algorithm: 'ed25519',
          encoding: 'base58',
          publicKey: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
          signedAt: EXAMPLE_TIME,
        } satisfies SignatureResponse,
      },
      formatB: {
        summary: 'Format B, eip191',
        target: PATH,
        body: { platformId: 'beta', accountId: 'main', data: EXAMPLE_DATA.B },
        response: {
          signature:
            '0x813c91dd37ee8a1ab8d5f1f911274f4421360176c894e72c52eaa4c067c2d3d02a83ca462d0af5abe88c36a84109f5028b997019c8f1a65eca0e9fc56751791d1c',
          algorithm: 'eip191',
          encoding: '0x-hex',
          publicKey: EXAMPLE_SECP256K1_KEY,
          signedAt: EXAMPLE_TIME,
        } satisfies SignatureResponse,
      },
      formatC: {
        summary: 'Format C',
        target: PATH,
        body: { platformId: 'gamma', accountId: 'main', data: EXAMPLE_DATA.C },
        response: {
          signature: '4Eg2snEXHAerxkY1NgzixM4E6Nbm9knamPPPiHGZbTo4yXPMgsQY7Wg9x3ZzMqbyAKgZ5ktQmk4AZjztbmx45WSR',
          algorithm: 'ed25519',
          encoding: 'base58',
          publicKey: 'Hyx62wPQGyvXCoihZq1BrbUjBRh2LuNxWiiqMkfAuSZr',
          signedAt: EXAMPLE_TIME,
        } satisfies SignatureResponse,
      },
      formatD: {
        summary: 'Format D, with the payload',
        target: `${PATH}?include=payload`,
        body: { platformId: 'delta', accountId: 'main', data: EXAMPLE_DATA.D },
        response: {
          signature:
            '0x4383e2998ae61924721389769c5ae5317a28c0c2ad7ec82aca26c28d325a8c723153e774b9312fddf98f23fdcb806e9b2bf4d64bc5881eee203644f5e3fd018f1b',
          algorithm: 'eip191',
          encoding: '0x-hex',
          publicKey:
            '0x04bb27b921b0fc89c4a40b1f5b87161c928d0b2f713119c7cbde7d6d640dcc9e2dd4c922bfa961f19c2640415f5c62dc6f7d6371997c105d045213664a2b3fcb64',
          signedAt: EXAMPLE_TIME,
          payload:
            '2026-11-20T08:49:00.123ZPOST/api/v5/trade/order{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}',
          payloadParts: {
            timestamp: '2026-11-20T08:49:00.123Z',
            method: 'POST',
            path: '/api/v5/trade/order',
            body: '{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}',
          },
        } satisfies SignatureResponse,
      },
    },
  },
  {
    operationId: 'signBatch',
    tag: 'Signing',
    summary: 'Sign a batch',
    description:
      'Signs each item independently; platforms, rules and algorithms may be mixed. A well-formed batch gets `200`, even if items fail: check the `status` of each item.\n\nIf a field of any item is missing or has the wrong type, the whole batch is rejected and nothing is signed. Data that is invalid for its platform fails only its own item.',
    parameters: ['IncludeSigned'],
    request: 'BatchRequest',
    response: { schema: 'Batch', description: 'One result per request, in the same order.' },
    examples: {
      mixed: {
        summary: 'One success, and one disabled account',
        target: ROUTES.signBatch.path,
        body: {
          requests: [
            { requestId: 'order-1', platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A },
            { requestId: 'order-2', platformId: 'alpha', accountId: 'idle', data: EXAMPLE_DATA.A },
          ],
        },
        response: {
          results: [
            { requestId: 'order-1', status: 'success', signature: EXAMPLE_SIGNATURE, algorithm: 'ed25519' },
            {
              requestId: 'order-2',
              status: 'failed',
              error: toError(refuseRequest('AccountInactive', { platformId: 'alpha', accountId: 'idle' })),
            },
          ],
          summary: { total: 2, successful: 1, failed: 1 },
        } satisfies BatchResponse,
      },
    },
  },
  {
    operationId: 'verify',
    tag: 'Signing',
    summary: 'Verify a signature',
    description:
      "Verifies that a signature is the account's signature over `data`, which is validated and turned into bytes as for signing. A malformed signature is invalid, not an error. Disabled accounts and platforms still verify with their public keys.\n\nHMAC signatures are verified only if the platform's configuration allows it.",
    parameters: ['Include'],
    request: 'VerifyRequest',
    response: { schema: 'Verification', description: 'Whether the signature is valid.' },
    examples: {
      right: {
        summary: 'A valid signature',
        target: ROUTES.verify.path,
        body: { platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A, signature: EXAMPLE_SIGNATURE },
        response: { valid: true } satisfies VerificationResponse,
      },
    },
  },
];
