import { IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import { MAX_PAGE_SIZE } from '../schemas/accounts-query.ts';

/** Parameters by component name. */
export const PARAMETERS = {
  Include: {
    name: 'include',
    in: 'query',
    description: 'Asks for the exact text that was signed: send those very bytes to the platform.',
    schema: { type: 'string', enum: ['payload'] },
  },
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description: 'Returns the decision and the payload without a signature; no key is opened. Recorded as `dry-run`.',
    schema: { type: 'string', enum: ['true'] },
  },
  Platform: {
    name: 'platform',
    in: 'query',
    description: "Shows that platform's accounts alone; an unknown one has none.",
    schema: { type: 'string' },
    example: 'beta',
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'Accounts on a page. Without it the whole list is sent.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: '`nextCursor` of the page before; only with `limit`.',
    schema: { type: 'string' },
  },
  PlatformId: {
    name: 'platformId',
    in: 'path',
    required: true,
    description: 'Of the platform.',
    schema: { type: 'string' },
    example: 'beta',
  },
  AccountId: {
    name: 'accountId',
    in: 'path',
    required: true,
    description: 'Of the account on that platform.',
    schema: { type: 'string' },
    example: 'main',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'A name of your own for the call, for logs and the audit record; it comes back in the answer. Of another form it is replaced.',
    schema: { type: 'string', pattern: IDENTIFIER_PATTERN.source },
    example: 'order-7f3a',
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context; goes to logs and the audit record. Of another form it is ignored.',
    schema: { type: 'string' },
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
} as const satisfies { readonly [name: string]: JsonObject };

/** See {@link PARAMETERS}. */
export type ParameterName = keyof typeof PARAMETERS;

/** Headers that every request may have. */
export const COMMON_HEADERS: readonly ParameterName[] = ['RequestId', 'Traceparent'];
