import { API_PREFIX } from '../../route.ts';
import type { SignatureAnswer } from '../../schemas/answers/signature-answer.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_DATA, EXAMPLE_SECP256K1_KEY, EXAMPLE_SIGNATURE, EXAMPLE_TIME } from './example-data.ts';

const PATH = `${API_PREFIX}/sign`;

/** `POST /sign`. */
export const SIGN_OPERATION: Operation = {
  operationId: 'sign',
  tag: 'Signing',
  method: 'post',
  path: PATH,
  summary: 'Sign one data object',
  description:
    "Signs `data` with the account's key. The platform's format says which shape `data` has, and its payload rule which bytes get signed.\n\nThe body is `application/json` in UTF-8, at most 1,048,576 bytes, not compressed. Fields that are none are refused. The signature is released only after its audit record is on the disk.",
  parameters: ['Include'],
  request: 'SignRequest',
  answer: { schema: 'Signature', description: 'The signature.' },
  examples: {
    formatA: {
      summary: 'Format A, ed25519',
      target: PATH,
      body: { platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A },
      answer: {
        signature: EXAMPLE_SIGNATURE,
        algorithm: 'ed25519',
        encoding: 'base58',
        publicKey: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
        signedAt: EXAMPLE_TIME,
      } satisfies SignatureAnswer,
    },
    formatB: {
      summary: 'Format B, eip191',
      target: PATH,
      body: { platformId: 'beta', accountId: 'main', data: EXAMPLE_DATA.B },
      answer: {
        signature:
          '0x813c91dd37ee8a1ab8d5f1f911274f4421360176c894e72c52eaa4c067c2d3d02a83ca462d0af5abe88c36a84109f5028b997019c8f1a65eca0e9fc56751791d1c',
        algorithm: 'eip191',
        encoding: '0x-hex',
        publicKey: EXAMPLE_SECP256K1_KEY,
        signedAt: EXAMPLE_TIME,
      } satisfies SignatureAnswer,
    },
    formatC: {
      summary: 'Format C',
      target: PATH,
      body: { platformId: 'gamma', accountId: 'main', data: EXAMPLE_DATA.C },
      answer: {
        signature: '4Eg2snEXHAerxkY1NgzixM4E6Nbm9knamPPPiHGZbTo4yXPMgsQY7Wg9x3ZzMqbyAKgZ5ktQmk4AZjztbmx45WSR',
        algorithm: 'ed25519',
        encoding: 'base58',
        publicKey: 'Hyx62wPQGyvXCoihZq1BrbUjBRh2LuNxWiiqMkfAuSZr',
        signedAt: EXAMPLE_TIME,
      } satisfies SignatureAnswer,
    },
    formatD: {
      summary: 'Format D, with the text that was signed',
      target: `${PATH}?include=payload`,
      body: { platformId: 'delta', accountId: 'main', data: EXAMPLE_DATA.D },
      answer: {
        signature:
          '0x4383e2998ae61924721389769c5ae5317a28c0c2ad7ec82aca26c28d325a8c723153e774b9312fddf98f23fdcb806e9b2bf4d64bc5881eee203644f5e3fd018f1b',
        algorithm: 'eip191',
        encoding: '0x-hex',
        publicKey:
          '0x04bb27b921b0fc89c4a40b1f5b87161c928d0b2f713119c7cbde7d6d640dcc9e2dd4c922bfa961f19c2640415f5c62dc6f7d6371997c105d045213664a2b3fcb64',
        signedAt: EXAMPLE_TIME,
        payload:
          '2026-11-20T08:49:00.123ZPOST/api/v5/trade/order{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}',
        payloadParts: { body: '{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}' },
      } satisfies SignatureAnswer,
    },
  },
  refusals: [
    'UnsupportedMediaType',
    'PlatformNotSupported',
    'AccountNotFound',
    'PermissionDenied',
    'AccountInactive',
    'AccountRateLimited',
    'SignatureFailed',
    'SignatureFaulty',
    'AuditUnavailable',
  ],
};
