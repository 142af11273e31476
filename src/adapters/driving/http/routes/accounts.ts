import type { JsonObject } from '../../../../domain/model/json.ts';
import type { AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { malformed } from '../http-refusal.ts';
import { API_PREFIX, type Route } from '../route.ts';

/** `GET /accounts`: all accounts, or those of `?platform=`. An unknown platform has none. */
export function accountsRoute(accounts: Pick<AccountService, 'list'>): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts`,
    refuse: answerRefusal,
    handle(request, response) {
      const platform = request.query['platform'];
      if (platform !== undefined && typeof platform !== 'string') {
        return answerRefusal(response, malformed('platform', 'must be given once or not at all (query parameter)'));
      }
      const found = accounts.list(platform);
      answerData(response, { accounts: found.map(view), total: found.length });
    },
  };
}

function view({ profile, usage }: AccountWithUsage): JsonObject {
  const { accountId, platformId, alias, status, environment } = profile;
  const { totalSigns, lastSignAt, errorCount } = usage;
  return { accountId, platformId, alias, status, environment, usage: { totalSigns, lastSignAt, errorCount } };
}
