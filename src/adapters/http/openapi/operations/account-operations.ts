import { ROUTES } from '../../route.ts';
import type { AccountResponse, AccountsResponse } from '../../schemas/account-responses.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_KEY_ID, EXAMPLE_SECP256K1_KEY, EXAMPLE_TIME } from './example-data.ts';

const PATH = ROUTES.listAccounts.path;

/** Accounts. */
export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'listAccounts',
    tag: 'Accounts',
    summary: 'List accounts',
    description:
      'Returns the accounts that the caller may read, in configured order, with their usage.\n\nWith `limit`, returns one page, ordered by `platformId` and `accountId`. An account that exists throughout is on exactly one page.',
    parameters: ['Platform', 'Limit', 'Cursor'],
    response: { schema: 'Accounts', description: 'The accounts.' },
    examples: {
      ofPlatform: {
        summary: 'Accounts of one platform',
        target: `${PATH}?platform=beta`,
        response: {
          accounts: [
            {
              accountId: 'main',
              platformId: 'beta',
              alias: 'main',
              status: 'active',
              environment: 'staging',
              usage: { totalSigns: 1, lastSignAt: EXAMPLE_TIME, errorCount: 0 },
              address: EXAMPLE_ADDRESS,
            },
          ],
          total: 1,
        } satisfies AccountsResponse,
      },
      page: {
        summary: 'First page, one account per page',
        target: `${PATH}?limit=1`,
        response: {
          accounts: [
            {
              accountId: 'idle',
              platformId: 'alpha',
              alias: 'idle',
              status: 'disabled',
              environment: 'production',
              usage: { totalSigns: 0, lastSignAt: null, errorCount: 0 },
            },
          ],
          total: 1,
          nextCursor: 'YWxwaGEgaWRsZQ',
        } satisfies AccountsResponse,
      },
    },
  },
  {
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'Get one account',
    description: 'Returns the data of one account, never its secret.',
    parameters: ['PlatformId', 'AccountId'],
    response: { schema: 'Account', description: 'The account.' },
    examples: {
      account: {
        summary: 'An account that has signed once',
        target: `${PATH}/beta/main`,
        response: {
          accountId: 'main',
          platformId: 'beta',
          alias: 'main',
          status: 'active',
          environment: 'staging',
          algorithm: 'eip191',
          publicKey: EXAMPLE_SECP256K1_KEY,
          keyId: EXAMPLE_KEY_ID,
          address: EXAMPLE_ADDRESS,
          createdAt: EXAMPLE_TIME,
          lastUsed: EXAMPLE_TIME,
        } satisfies AccountResponse,
      },
    },
    // A path with an invalid percent-encoding is unknown.
  },
];
