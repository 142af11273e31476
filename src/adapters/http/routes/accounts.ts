import type { z } from 'zod';
import { accepted, refused } from '../../../domain/model/refusal.ts';
import type { AccountList, AccountWithUsage } from '../../../domain/services/account-service.ts';
import { Semaphore } from '../admission/semaphore.ts';
import type { AppDependencies } from '../app.ts';
import type { Endpoint } from '../route.ts';
import type { AccountEntry, AccountResponse, AccountsResponse } from '../schemas/account-responses.ts';
import { accountsQuery, formatCursor } from '../schemas/queries.ts';
import type { StateSources } from '../state/read-state.ts';
import { streamResponse } from '../stream-response.ts';

/** Longer lists are streamed. */
const MAX_UNSTREAMED = 1000;

/** Accounts per chunk, rendered in a fraction of a millisecond. */
const SLICE_SIZE = 100;

/** Concurrent long lists; each takes time from signing and reloads. */
const LONG_LISTS = { permits: 2, maxWaiting: 64, maxWaitMs: 30_000 };

const PLATFORM_DISABLED = { platformStatus: 'disabled' } as const;

/**
 * `GET /accounts`: readable accounts, by `?platform=` and in pages of `?limit=`. An unknown
 * platform has none.
 */
export function accountsEndpoint({
  accounts,
  registry,
  clock,
  gate,
}: StateSources): Endpoint<z.infer<typeof accountsQuery>> {
  const longLists = new Semaphore(LONG_LISTS);
  return {
    query: accountsQuery,
    async handle({ query: { platform: platformId, limit, cursor: after = null }, context, response }) {
      if (limit !== undefined) {
        const { accounts: shown, next } = await accounts.page(context, { platformId, limit, after });
        const nextCursor = next === null ? null : formatCursor(next);
        return accepted({ ...toAccountsResponse(shown), nextCursor });
      }
      const { length, slice } = accounts.list(context, platformId);
      if (length <= MAX_UNSTREAMED) return accepted(toAccountsResponse(await slice(0, length)));
      if (response.req.method === 'HEAD') return void (await streamResponse(response, [], clock));

      const release = await longLists.acquire(response);
      if (release === null) return refused(gate.admission.refuse(response));
      try {
        // A reload during the wait may have changed accounts and permissions.
        const denial = registry.current.permissions.refuse(context.principal, 'read');
        if (denial !== null) return refused(denial);
        return void (await streamResponse(response, renderList(accounts.list(context, platformId)), clock));
      } finally {
        release();
      }
    },
  };
}

function toAccountsResponse(shown: readonly AccountWithUsage[]): AccountsResponse {
  return { accounts: shown.map(toAccountEntry), total: shown.length };
}

/** A chunk for each slice, possibly empty. */
async function* renderList({ length, slice }: AccountList): AsyncIterable<string> {
  let total = 0;
  yield '{"success":true,"data":{"accounts":[';
  for (let start = 0; start < length; start += SLICE_SIZE) {
    const shown = await slice(start, start + SLICE_SIZE);
    const separator = total > 0 && shown.length > 0 ? ',' : '';
    total += shown.length;
    yield `${separator}${shown.map((account) => JSON.stringify(toAccountEntry(account))).join(',')}`;
  }
  yield `],"total":${total}}}`;
}

function toAccountEntry({ profile, isPlatformDisabled, usage }: AccountWithUsage): AccountEntry {
  const { accountId, platformId, alias, status, environment, address } = profile;
  const { totalSigns, lastSignAt, errorCount } = usage;
  return {
    accountId,
    platformId,
    alias,
    status,
    environment,
    ...(isPlatformDisabled && PLATFORM_DISABLED),
    usage: { totalSigns, lastSignAt, errorCount },
    ...(address !== undefined && { address }),
  };
}

/** `GET /accounts/{platformId}/{accountId}`: one account. Malformed ids are simply unknown. */
export function accountEndpoint({ accounts }: AppDependencies): Endpoint {
  return {
    async handle({ request }) {
      const { platformId = '', accountId = '' } = request.params;
      const outcome = await accounts.find(platformId, accountId);
      return outcome.ok ? accepted(toAccountResponse(outcome.value)) : outcome;
    },
  };
}

function toAccountResponse({ profile, isPlatformDisabled, usage }: AccountWithUsage): AccountResponse {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, keyId, address, createdAt } =
    profile;
  return {
    accountId,
    platformId,
    alias,
    status,
    environment,
    ...(isPlatformDisabled && PLATFORM_DISABLED),
    algorithm,
    publicKey,
    keyId,
    ...(address !== undefined && { address }),
    createdAt,
    lastUsed: usage.lastSignAt,
  };
}
