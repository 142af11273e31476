import type { RequestHandler } from 'express';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { Route } from '../route.ts';

/** Has a request whose body nobody wants read and proved, before it is handled; one that is not its caller's is refused. */
export function authenticateFirst(
  intake: Pick<SigningIntake, 'receive' | 'refuseAndClose'>,
  refuse: Route['refuse'],
  handle: RequestHandler,
): RequestHandler {
  return async (request, response, next) => {
    const body = await intake.receive(request, response);
    if (body === 'answered') return;
    if (body === 'no room') return intake.refuseAndClose(response);
    return body.ok ? handle(request, response, next) : refuse(response, body.refusal);
  };
}
