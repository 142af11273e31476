import type { Response } from 'express';
import type { AccountList, AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { cursorOf } from '../account-cursor.ts';
import { answerInSlices } from '../answer-in-slices.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { Semaphore } from '../overload/semaphore.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { readAccountsQuery } from '../schemas/accounts-query.ts';
import type { AccountEntry, AccountsAnswer } from '../schemas/answers/account-answers.ts';

/** A longer list is sent in slices. */
const MOST_AT_ONCE = 1000;

/** Accounts in a slice: made in a fraction of a millisecond. */
const SLICE = 100;

/** Long lists under way: each takes its turns from signing and from reloads. */
const LONG_LISTS = { permits: 2, maxWaiting: 64, maxWaitMs: 30_000 };

/** What the list of accounts is made with. */
export interface AccountsRouteParts {
  readonly intake: SigningIntake;
  readonly clock: Clock;
  readonly refusals: RecordedRefusals;
}

/** `GET /accounts`: all accounts that the caller may read, those of `?platform=`, or with `?limit=` a page of either. An unknown platform has none. */
export function accountsRoute(accounts: AccountService, { intake, clock, refusals }: AccountsRouteParts): Route {
  const longLists = new Semaphore(LONG_LISTS);
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts`,
    queryParameters: ['platform', 'limit', 'cursor'],
    refuse: answerRefusal,
    async handle(request, response) {
      const query = readAccountsQuery(request);
      if (!query.ok) return answerRefusal(response, query.refusal);

      const { platformId, limit, after } = query.value;
      if (limit === undefined) return answerAll(response, platformId);

      const page = await accounts.page(callContextOf(response), { platformId, limit, after });
      if (!page.ok) return refusals.unshown('read', response, page.refusal);
      const { accounts: shown, next } = page.value;
      const nextCursor = next === null ? null : cursorOf(next);
      const answer: AccountsAnswer = { accounts: shown.map(view), total: shown.length, nextCursor };
      answerData(response, answer);
    },
  };

  async function answerAll(response: Response, platformId: string | undefined): Promise<void> {
    const list = accounts.list(callContextOf(response), platformId);
    if (!list.ok) return refusals.unshown('read', response, list.refusal);
    if (list.value.length <= MOST_AT_ONCE) return answerAtOnce(response, list.value);
    if (response.req.method === 'HEAD') return answerInSlices(response, [], clock);

    const release = await longLists.acquire(response);
    if (release === null) return intake.refuse(response);
    try {
      // Anew: while this waited, a reload may have changed the accounts, and who may see them.
      const now = accounts.list(callContextOf(response), platformId);
      if (!now.ok) return refusals.unshown('read', response, now.refusal);
      await answerInSlices(response, textsOf(now.value), clock);
    } finally {
      release();
    }
  }
}

function answerAtOnce(response: Response, { length, slice }: AccountList): void {
  const shown = slice(0, length);
  const answer: AccountsAnswer = { accounts: shown.map(view), total: shown.length };
  answerData(response, answer);
}

/** One text for each slice that was looked at, an empty one where the caller may see nothing of it. */
function* textsOf({ length, slice }: AccountList): Iterable<string> {
  let total = 0;
  yield '{"success":true,"data":{"accounts":[';
  for (let at = 0; at < length; at += SLICE) {
    const shown = slice(at, at + SLICE);
    const separator = total > 0 && shown.length > 0 ? ',' : '';
    total += shown.length;
    yield `${separator}${shown.map((account) => JSON.stringify(view(account))).join(',')}`;
  }
  yield `],"total":${total}}}`;
}

function view({ profile, usage }: AccountWithUsage): AccountEntry {
  const { accountId, platformId, alias, status, environment, address } = profile;
  const { totalSigns, lastSignAt, errorCount } = usage;
  const entry = { accountId, platformId, alias, status, environment, usage: { totalSigns, lastSignAt, errorCount } };
  return address === undefined ? entry : { ...entry, address };
}
