import type { AccountService, AccountWithUsage } from '../../../../domain/services/account-service.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { AccountAnswer } from '../schemas/answers/account-answers.ts';

/** `GET /accounts/{platformId}/{accountId}`: one account. Ids that no account can have are unknown like any other. */
export function accountRoute(accounts: AccountService, refusals: RecordedRefusals): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/accounts/:platformId/:accountId`,
    queryParameters: [],
    refuse: answerRefusal,
    async handle(request, response) {
      const { platformId = '', accountId = '' } = request.params;
      const outcome = accounts.find(callContextOf(response), platformId, accountId);
      if (outcome.ok) answerData(response, view(outcome.value));
      else await refusals.unshown('read', response, outcome.refusal);
    },
  };
}

function view({ profile, usage }: AccountWithUsage): AccountAnswer {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, address, createdAt } = profile;
  return {
    ...{ accountId, platformId, alias, status, environment, algorithm, publicKey },
    ...(address !== undefined && { address }),
    ...{ createdAt, lastUsed: usage.lastSignAt },
  };
}
