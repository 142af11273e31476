import { answerData, answerRefusal } from '../envelope.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';
import type { AliveAnswer } from '../schemas/answers/health-answers.ts';

const ALIVE: AliveAnswer = { status: 'alive' };

/** `GET /healthz`: whether the process is alive. It is, as long as this is answered at all: nothing is asked. */
export function healthzRoute(): Route {
  return {
    method: 'get',
    path: HEALTH_PATHS.alive,
    queryParameters: [],
    refuse: answerRefusal,
    handle(_request, response) {
      answerData(response, ALIVE);
    },
  };
}
