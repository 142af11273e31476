import { accountInactive } from '../../../../../domain/model/refusal.ts';
import { API_PREFIX } from '../../route.ts';
import type { BatchAnswer } from '../../schemas/answers/batch-answer.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_DATA, EXAMPLE_SIGNATURE } from './example-data.ts';

const PATH = `${API_PREFIX}/sign/batch`;

const { code, message, details } = accountInactive('alpha', 'idle');

/** `POST /sign/batch`. */
export const SIGN_BATCH_OPERATION: Operation = {
  operationId: 'signBatch',
  tag: 'Signing',
  method: 'post',
  path: PATH,
  summary: 'Sign many',
  description:
    'Signs each request on its own; platforms and algorithms may be mixed. The answer is `200` whenever the batch itself is well formed, however its items end: look at `status` of each.\n\nA field that is missing or of the wrong type, in any item, refuses the batch as a whole, and nothing of it is signed. Data that does not fit its platform fails only its item.',
  parameters: ['Include'],
  request: 'BatchRequest',
  answer: { schema: 'Batch', description: 'One result a request, in their order.' },
  examples: {
    mixed: {
      summary: 'One that is signed, and one whose account is disabled',
      target: PATH,
      body: {
        requests: [
          { requestId: 'order-1', platformId: 'alpha', accountId: 'main', data: EXAMPLE_DATA.A },
          { requestId: 'order-2', platformId: 'alpha', accountId: 'idle', data: EXAMPLE_DATA.A },
        ],
      },
      answer: {
        results: [
          { requestId: 'order-1', status: 'success', signature: EXAMPLE_SIGNATURE, algorithm: 'ed25519' },
          { requestId: 'order-2', status: 'failed', error: { code, message, details } },
        ],
        summary: { total: 2, successful: 1, failed: 1 },
      } satisfies BatchAnswer,
    },
  },
  refusals: ['UnsupportedMediaType'],
};
