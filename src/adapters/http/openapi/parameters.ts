import { IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import { MAX_PAGE_SIZE } from '../schemas/accounts-query.ts';
import { INCLUDES } from '../schemas/requests.ts';

/** Parameters by component name. */
export const PARAMETERS = {
  Include: {
    name: 'include',
    in: 'query',
    description:
      'Adds the payload, the exact text that the signature covers, to the response: send it to the platform unchanged.',
    schema: { type: 'string', enum: ['payload'] },
  },
  IncludeSigned: {
    name: 'include',
    in: 'query',
    description:
      'Adds to the response: `payload`, the exact text that the signature covers; `request`, the signed request as the venue takes it, for platforms with `send`.',
    style: 'form',
    explode: false,
    schema: { type: 'array', uniqueItems: true, items: { type: 'string', enum: [...INCLUDES] } },
  },
  IncludeActivity: {
    name: 'include',
    in: 'query',
    description: 'Adds the recent activity of this process: signatures by interval, refusals, the last audit records.',
    schema: { type: 'string', enum: ['activity'] },
  },
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description: 'Returns the decision and the payload without a signature; no key is used. Recorded as `dry-run`.',
    schema: { type: 'string', enum: ['true'] },
  },
  Platform: {
    name: 'platform',
    in: 'query',
    description: 'Returns only the accounts of this platform; an unknown platform has none.',
    schema: { type: 'string' },
    example: 'beta',
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'Page size. Without it, the whole list is returned.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: '`nextCursor` of the previous page; only with `limit`.',
    schema: { type: 'string' },
  },
  PlatformId: {
    name: 'platformId',
    in: 'path',
    required: true,
    description: 'ID of the platform.',
    schema: { type: 'string' },
    example: 'beta',
  },
  AccountId: {
    name: 'accountId',
    in: 'path',
    required: true,
    description: 'ID of the account on that platform.',
    schema: { type: 'string' },
    example: 'main',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Request ID for logs and audit records, repeated in the response. An invalid one is replaced.',
    schema: { type: 'string', pattern: IDENTIFIER_PATTERN.source },
    example: 'order-7f3a',
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context for logs, audit records and traces. An invalid one is ignored.',
    schema: { type: 'string' },
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
} as const satisfies { readonly [name: string]: JsonObject };

/** See {@link PARAMETERS}. */
export type ParameterName = keyof typeof PARAMETERS;

/** Headers that every request may have. */
export const COMMON_HEADERS: readonly ParameterName[] = ['RequestId', 'Traceparent'];
