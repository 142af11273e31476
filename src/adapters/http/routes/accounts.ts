import type { Response } from 'express';
import type { AccountList, AccountService, AccountWithUsage } from '../../../domain/services/account-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import { Semaphore } from '../admission/semaphore.ts';
import type { SigningIntake } from '../admission/signing-intake.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { AccountEntry, AccountResponse, AccountsResponse } from '../schemas/account-responses.ts';
import { formatCursor, readAccountsQuery } from '../schemas/accounts-query.ts';
import { streamResponse } from '../stream-response.ts';

/** Longer lists are streamed. */
const MAX_UNSTREAMED = 1000;

/** Accounts per chunk, rendered in a fraction of a millisecond. */
const SLICE_SIZE = 100;

/** Concurrent long lists; each takes time from signing and reloads. */
const LONG_LISTS = { permits: 2, maxWaiting: 64, maxWaitMs: 30_000 };

const PLATFORM_DISABLED = { platformStatus: 'disabled' } as const;

/** Dependencies of the account list. */
export interface AccountsRouteDependencies {
  readonly intake: SigningIntake;
  readonly clock: Clock;
  readonly refusals: RefusalRecorder;
}

/**
 * `GET /accounts`: readable accounts, by `?platform=` and in pages of `?limit=`. An unknown
 * platform has none.
 */
export function accountsRoute(accounts: AccountService, { intake, clock, refusals }: AccountsRouteDependencies): Route {
  const longLists = new Semaphore(LONG_LISTS);
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts`,
    queryParameters: ['platform', 'limit', 'cursor'],
    refuse: respondWithRefusal,
    async handle(request, response) {
      const query = readAccountsQuery(request);
      if (!query.ok) return respondWithRefusal(response, query.refusal);
      if (!(await refusals.permit('read', response))) return;

      const { platformId, limit, after } = query.value;
      if (limit === undefined) return respondWithAll(response, platformId);

      const { accounts: shown, next } = await accounts.page(getCallContext(response), { platformId, limit, after });
      const nextCursor = next === null ? null : formatCursor(next);
      const data: AccountsResponse = { accounts: shown.map(toAccountEntry), total: shown.length, nextCursor };
      respondWithData(response, data);
    },
  };

  async function respondWithAll(response: Response, platformId: string | undefined): Promise<void> {
    const list = accounts.list(getCallContext(response), platformId);
    if (list.length <= MAX_UNSTREAMED) return respondAtOnce(response, list);
    if (response.req.method === 'HEAD') return streamResponse(response, [], clock);

    const release = await longLists.acquire(response);
    if (release === null) return intake.refuse(response);
    try {
      // A reload during the wait may have changed accounts and permissions.
      if (!(await refusals.permit('read', response))) return;
      const current = accounts.list(getCallContext(response), platformId);
      await streamResponse(response, renderList(current), clock);
    } finally {
      release();
    }
  }
}

function respondAtOnce(response: Response, { length, slice }: AccountList): void {
  const shown = slice(0, length);
  const data: AccountsResponse = { accounts: shown.map(toAccountEntry), total: shown.length };
  respondWithData(response, data);
}

/** A chunk for each slice, possibly empty. */
function* renderList({ length, slice }: AccountList): Iterable<string> {
  let total = 0;
  yield '{"success":true,"data":{"accounts":[';
  for (let start = 0; start < length; start += SLICE_SIZE) {
    const shown = slice(start, start + SLICE_SIZE);
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
    ...{ accountId, platformId, alias, status, environment },
    ...(isPlatformDisabled && PLATFORM_DISABLED),
    usage: { totalSigns, lastSignAt, errorCount },
    ...(address !== undefined && { address }),
  };
}

/** `GET /accounts/{platformId}/{accountId}`: one account. Malformed ids are simply unknown. */
export function accountRoute(accounts: AccountService, refusals: RefusalRecorder): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts/:platformId/:accountId`,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(request, response) {
      const { platformId = '', accountId = '' } = request.params;
      const outcome = accounts.find(getCallContext(response), platformId, accountId);
      if (outcome.ok) respondWithData(response, toAccountResponse(outcome.value));
      else await refusals.refuseRead(response, outcome.refusal);
    },
  };
}

function toAccountResponse({ profile, isPlatformDisabled, usage }: AccountWithUsage): AccountResponse {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, keyId, address, createdAt } =
    profile;
  return {
    ...{ accountId, platformId, alias, status, environment },
    ...(isPlatformDisabled && PLATFORM_DISABLED),
    ...{ algorithm, publicKey, keyId },
    ...(address !== undefined && { address }),
    ...{ createdAt, lastUsed: usage.lastSignAt },
  };
}
