import type { Response } from 'express';
import type { JsonObject } from '../../../../domain/model/json.ts';
import type { AccountList, AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { cursorOf } from '../account-cursor.ts';
import { answerInSlices } from '../answer-in-slices.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { readAccountsQuery } from '../schemas/accounts-query.ts';

/** A longer list is sent in slices. */
const MOST_AT_ONCE = 1000;

/** Accounts in a slice: made in a fraction of a millisecond. */
const SLICE = 100;

/** `GET /accounts`: all accounts, those of `?platform=`, or with `?limit=` a page of either. An unknown platform has none. */
export function accountsRoute(accounts: Pick<AccountService, 'list' | 'page'>, clock: Clock): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts`,
    refuse: answerRefusal,
    async handle(request, response) {
      const query = readAccountsQuery(request);
      if (!query.ok) return answerRefusal(response, query.refusal);

      const { platformId, limit, after } = query.value;
      if (limit === undefined) return answerAll(response, accounts.list(platformId), clock);

      const page = await accounts.page({ platformId, limit, after });
      const nextCursor = page.next === null ? null : cursorOf(page.next);
      answerData(response, { accounts: page.accounts.map(view), total: page.accounts.length, nextCursor });
    },
  };
}

function answerAll(response: Response, list: AccountList, clock: Clock): void | Promise<void> {
  const { total } = list;
  if (total <= MOST_AT_ONCE) return answerData(response, { accounts: list.slice(0, total).map(view), total });
  return answerInSlices(response, response.req.method === 'HEAD' ? [] : textsOf(list), clock);
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
