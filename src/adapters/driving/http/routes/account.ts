import type { JsonObject } from '../../../../domain/model/json.ts';
import type { AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { API_PREFIX, type Route } from '../route.ts';

/** `GET /accounts/{platformId}/{accountId}`: one account. Ids that no account can have are unknown like any other. */
export function accountRoute(accounts: Pick<AccountService, 'find'>): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts/:platformId/:accountId`,
    refuse: answerRefusal,
    handle(request, response) {
      const { platformId = '', accountId = '' } = request.params;
      const outcome = accounts.find(platformId, accountId);
      if (outcome.ok) answerData(response, view(outcome.value));
      else answerRefusal(response, outcome.refusal);
    },
  };
}

function view({ profile, usage }: AccountWithUsage): JsonObject {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt } = profile;
  const lastUsed = usage.lastSignAt;
  return { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt, lastUsed };
}
