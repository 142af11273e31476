import type { Response } from 'express';
import type { JsonObject } from '../../../../domain/model/json.ts';
import type { AccountList, AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { cursorOf } from '../account-cursor.ts';
import { answerInSlices } from '../answer-in-slices.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { FewAtOnce } from '../overload/few-at-once.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { readAccountsQuery } from '../schemas/accounts-query.ts';

/** A longer list is sent in slices. */
const MOST_AT_ONCE = 1000;

/** Accounts in a slice: made in a fraction of a millisecond. */
const SLICE = 100;

/** Long lists under way: each takes its turns from signing and from reloads. */
const LONG_LISTS = { maxAtOnce: 2, maxWaiting: 64, maxWaitMs: 30_000 };

type Lists = Pick<AccountService, 'list' | 'page'>;

/** `GET /accounts`: all accounts, those of `?platform=`, or with `?limit=` a page of either. An unknown platform has none. */
export function accountsRoute(accounts: Lists, refusals: Pick<SigningIntake, 'refuse'>, clock: Clock): Route {
  const longLists = new FewAtOnce(LONG_LISTS);
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts`,
    refuse: answerRefusal,
    async handle(request, response) {
      const query = readAccountsQuery(request);
      if (!query.ok) return answerRefusal(response, query.refusal);

      const { platformId, limit, after } = query.value;
      if (limit === undefined) return answerAll(response, platformId);

      const page = await accounts.page({ platformId, limit, after });
      const nextCursor = page.next === null ? null : cursorOf(page.next);
      answerData(response, { accounts: page.accounts.map(view), total: page.accounts.length, nextCursor });
    },
  };

  async function answerAll(response: Response, platformId: string | undefined): Promise<void> {
    const { total, slice } = accounts.list(platformId);
    if (total <= MOST_AT_ONCE) return answerData(response, { accounts: slice(0, total).map(view), total });
    if (response.req.method === 'HEAD') return answerInSlices(response, [], clock);

    const leave = await longLists.enter(response);
    if (leave === null) return refusals.refuse(response);
    try {
      // Anew: while this waited, a reload may have changed the accounts.
      await answerInSlices(response, textsOf(accounts.list(platformId)), clock);
    } finally {
      leave();
    }
  }
}

function* textsOf({ total, slice }: AccountList): Iterable<string> {
  yield '{"success":true,"data":{"accounts":[';
  for (let at = 0; at < total; at += SLICE) {
    const texts = slice(at, at + SLICE).map((account) => JSON.stringify(view(account)));
    yield `${at === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield `],"total":${total}}}`;
}

function view({ profile, usage }: AccountWithUsage): JsonObject {
  const { accountId, platformId, alias, status, environment } = profile;
  const { totalSigns, lastSignAt, errorCount } = usage;
  return { accountId, platformId, alias, status, environment, usage: { totalSigns, lastSignAt, errorCount } };
}
