import { API_PREFIX } from '../../route.ts';
import type { VerificationAnswer } from '../../schemas/answers/verification-answer.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_DATA, EXAMPLE_SIGNATURE } from './example-data.ts';

const PATH = `${API_PREFIX}/verify`;

/** `POST /verify`. */
export const VERIFY_OPERATION: Operation = {
  operationId: 'verify',
  tag: 'Signing',
  method: 'post',
  path: PATH,
  summary: 'Check a signature',
  description:
    "Whether a signature is the account's over some data, which goes through the same format and rule as for signing. A text that no signature could have is `false`, too. The public key of a disabled account still verifies.\n\nHMAC signatures are checked only where the platform's configuration allows it.",
  parameters: ['Include'],
  request: 'VerifyRequest',
  answer: { schema: 'Verification', description: 'Whether it is.' },
  examples: {
    right: {
      summary: 'A signature that is right',
      target: PATH,
      body: { platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A, signature: EXAMPLE_SIGNATURE },
      answer: { valid: true } satisfies VerificationAnswer,
    },
  },
  refusals: [
    'UnsupportedMediaType',
    'PlatformNotSupported',
    'AccountNotFound',
    'PermissionDenied',
    'VerificationForbidden',
    'AccountInactive',
    'SignatureFailed',
    'AuditUnavailable',
  ],
};
