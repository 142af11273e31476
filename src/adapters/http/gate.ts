import type { Request, RequestHandler, Response } from 'express';
import type { Operation } from '../../domain/model/operations.ts';
import { accepted, type Outcome, type Refusal, refused } from '../../domain/model/refusal.ts';
import type { CallContext } from '../../domain/model/sign-request.ts';
import { Admission } from './admission/admission.ts';
import { RefusalCounter } from './admission/refusal-counter.ts';
import type { Release } from './admission/semaphore.ts';
import type { AppDependencies } from './app.ts';
import { getCallContext, nameCalledPlatform } from './call-context.ts';
import { addressKey, callerKey, RequestLimiter } from './callers/request-limiter.ts';
import { observeBy } from './middleware/request-observer.ts';
import { readCall } from './read-call.ts';
import { refuseRequest } from './refusals.ts';
import { hasJsonBody, readBody } from './request-body.ts';
import { respondWithData, respondWithRefusal } from './responses.ts';
import type { Route } from './route.ts';

const CALLER_WARNING = 'Callers exceed their rate limit: requests are rejected with RATE_LIMITED.';

const FAILURE_WARNING =
  'Too many failed authentication attempts from one address. Further ones are rejected with RATE_LIMITED and not recorded in the audit log.';

const ALLOWED = { get: ['GET', 'HEAD'], post: ['POST'] } as const;

const NO_BODY = Buffer.alloc(0);

/** Refusals of the service's limits, which have no audit record. */
const OVER_LIMIT: ReadonlySet<string> = new Set(['RATE_LIMITED', 'OVERLOADED']);

/** A request on its way through the gate. */
interface Passing {
  /** The route of its path; null for an unknown path. */
  readonly route: Route | null;
  /** {@link route} if it has the request's method. */
  readonly served: Route | null;
  readonly request: Request;
  readonly response: Response;
  /** Memory and permits, released at the end. */
  readonly held: Release[];
}

/**
 * What every request passes before its handler, by its row of the route table: a queue with room,
 * client certificate, memory for its body, authentication, rate limit of the caller, a known path
 * and method, query and body, permission, and permits to sign. Permissions to sign and verify are
 * checked by FIND_ACCOUNT of the domain, since the body names the account.
 */
export class Gate {
  readonly admission: Admission;
  readonly #dependencies: AppDependencies;
  /** Null without a rate limit. */
  readonly #callers: RequestLimiter | null;
  /**
   * Failed authentication attempts, and so audit records and signature verifications, by address.
   * At an exhausted address only callers with a known token still authenticate.
   */
  readonly #failures: RequestLimiter;

  constructor(dependencies: AppDependencies) {
    const { callers, failures } = dependencies.limiters;
    const { log } = dependencies;
    this.#dependencies = dependencies;
    this.admission = new Admission(dependencies, log);
    this.#callers =
      callers &&
      new RequestLimiter(callers, callerKey, new RefusalCounter(log, CALLER_WARNING), (details) =>
        refuseRequest('CallerRateLimited', details),
      );
    const counter = new RefusalCounter(log, FAILURE_WARNING);
    this.#failures = new RequestLimiter(failures, addressKey, counter, ({ retryAfterMs, ...limit }) =>
      refuseRequest('AuthenticationRateLimited', { retryAfterMs: retryAfterMs ?? 0, ...limit }),
    );
  }

  /** Requests over a rate limit since the service started. */
  get limited(): { readonly callers: number; readonly authentications: number } {
    return { callers: this.#callers?.refused ?? 0, authentications: this.#failures.refused };
  }

  /** The handler of a route's own method. */
  guard(route: Route): RequestHandler {
    return this.#handler(route, route);
  }

  /** The handler of all other methods of a route's path. */
  guardOtherMethods(route: Route): RequestHandler {
    return this.#handler(route, null);
  }

  /** The handler of paths without a route. */
  guardUnknownPaths(): RequestHandler {
    return this.#handler(null, null);
  }

  #handler(route: Route | null, served: Route | null): RequestHandler {
    return (request, response) => this.#pass({ route, served, request, response, held: [] });
  }

  async #pass(passing: Passing): Promise<void> {
    const { response, route, served, held } = passing;
    const work = served?.signing?.work;
    try {
      if (work !== undefined) {
        observeBy('traces', response);
        // Without a line in the log.
        if (this.admission.isFull(work)) return respondWithRefusal(response, this.admission.refuse(response));
      }
      observeBy('log', response);
      const refusal = await this.#serve(passing);
      if (refusal !== null) await this.#refuse(route, response, refusal);
    } finally {
      for (const release of held) release();
    }
  }

  /** Responds, or returns the refusal. */
  async #serve(passing: Passing): Promise<Refusal | null> {
    const { route, request, response, served, held } = passing;
    const received = route?.operation === 'open' ? accepted(NO_BODY) : await this.#admit(passing);
    if (!received.ok) return received.refusal;
    if (route === null) return refuseRequest('NotFound');
    if (served === null) return refuseRequest('MethodNotAllowed', { allowed: ALLOWED[route.method] });
    const call = await readCall(served, request, received.value, this.#dependencies.clock);
    if (!call.ok) return call.refusal;

    const context = getCallContext(response);
    const { operation, signing } = served;
    const { query, body } = call.value;
    // Sign and verify: FIND_ACCOUNT checks, since the body names the account.
    if (operation !== 'open' && operation !== 'sign' && operation !== 'verify') {
      const denial = this.#findDenial(operation, context, request.params);
      if (denial !== null) return denial;
    }
    if (signing !== undefined && body !== undefined) {
      if ('platformId' in body) nameCalledPlatform(response, body.platformId);
      const signatures = 'requests' in body ? body.requests.length : 1;
      const limited = signatures === 1 ? null : await this.#limit(response, signatures - 1, signatures);
      if (limited !== null) return limited;
      const release = await this.admission.acquire(signing.work, response, signatures);
      if (release === null) return this.admission.refuse(response);
      held.push(release);
    }

    const handled = await served.handle({ request, response, context, query, body });
    if (handled === undefined) return null;
    if (handled.ok) respondWithData(response, handled.value);
    // Refused reads are recorded here; what the service has attempted is on record.
    else if (operation === 'read') return handled.refusal;
    else respondWithRefusal(response, handled.refusal);
    return null;
  }

  /** Of the account that the path names, or of any; null for a missing account. */
  #findDenial(operation: Operation, { principal }: CallContext, { platformId, accountId }: Request['params']) {
    const registry = this.#dependencies.registry.current;
    if (platformId === undefined || accountId === undefined) return registry.permissions.refuse(principal, operation);
    const account = registry.account(platformId, accountId);
    return account === undefined ? null : registry.permissions.refuse(principal, operation, account);
  }

  /** Identifies and limits the caller; returns the body if it is used. */
  async #admit(passing: Passing): Promise<Outcome<Buffer>> {
    const { request, response, served, held } = passing;
    for (const check of this.#dependencies.callerChecks) {
      const refusal = check(request, response);
      if (refusal !== null) return refused(await this.#fail(response, refusal));
    }
    const body = await this.#receive(passing);
    if (!body.ok && (body.refusal.code === 'UNAUTHENTICATED' || OVER_LIMIT.has(body.refusal.code))) return body;
    const limited = await this.#limit(response, 1);
    if (limited !== null) return refused(limited);
    if (!body.ok || served?.signing !== undefined) return body;
    // A body that is not used holds no memory while the response is made.
    for (const release of held) release();
    return accepted(NO_BODY);
  }

  /** Reads a body that is used or authenticated into reserved memory; authenticates its caller. */
  async #receive({ request, response, served, held }: Passing): Promise<Outcome<Buffer>> {
    const { authentication } = this.#dependencies;
    const readsBody = served?.method === 'post';
    if (authentication === null && !readsBody) return accepted(NO_BODY);

    const reservation = this.admission.reserve(request);
    if (reservation === null) return refused(this.admission.refuse(response));
    held.push(reservation.release);
    const begun =
      (await authentication?.begin(request, response, () => this.#failures.take(response, 0))) ?? accepted(null);
    if (!begun.ok)
      return OVER_LIMIT.has(begun.refusal.code) ? begun : refused(await this.#fail(response, begun.refusal));

    const authenticate = begun.value;
    const isTypeAccepted = served?.signing === undefined || hasJsonBody(request);
    if (authenticate === null && !readsBody) return accepted(NO_BODY);
    if (authenticate === null && !isTypeAccepted) return refused(refuseRequest('UnsupportedMediaType'));
    const body = await readBody(request, reservation);
    if (body === null) return refused(this.admission.refuse(response));
    if (authenticate === null) return body;
    const refusal = body.ok ? await authenticate(body.value) : body.refusal;
    if (refusal === null) return isTypeAccepted ? body : refused(refuseRequest('UnsupportedMediaType'));
    // An incomplete body proves nothing: an observed token suffices to send one.
    const hasFailed = !body.ok || refusal.code === 'UNAUTHENTICATED';
    return refused(hasFailed ? await this.#fail(response, refusal) : refusal);
  }

  async #limit(response: Response, points: number, total = points): Promise<Refusal | null> {
    return (await this.#callers?.take(response, points, total)) ?? null;
  }

  /** The refusal of a failed authentication; of one too many from its address, that limit. */
  async #fail(response: Response, refusal: Refusal): Promise<Refusal> {
    return (await this.#failures.take(response, 1)) ?? refusal;
  }

  /** Responds once the refusal is on record; the response is the same if the record fails. */
  async #refuse(route: Route | null, response: Response, refusal: Refusal): Promise<void> {
    if (route !== null && route.operation !== 'open' && isRecorded(route, refusal.code)) {
      await this.#record(route.operation, response, refusal);
    }
    respondWithRefusal(response, refusal);
  }

  async #record(operation: Operation, response: Response, { code, details }: Refusal): Promise<void> {
    const { audit, log } = this.#dependencies;
    const context = getCallContext(response);
    const isDeniedReload = operation === 'reload' && code === 'FORBIDDEN';
    if (isDeniedReload) {
      const { principal, remoteAddress, correlationId } = context;
      const throttling = { topic: 'denied reloads', cause: principal ?? '' };
      log.warn('Reload denied: the caller has no permission.', { principal, remoteAddress, correlationId }, throttling);
    }
    const data = isDeniedReload ? { trigger: 'request', reason: details['reason'] ?? null } : null;
    await audit.recordRejectedRequest(operation, code, context, response.req.params, data);
  }
}

/** Of reads, which change nothing, only denials are recorded; other methods request no reload. */
function isRecorded({ method, operation }: Route, code: string): boolean {
  if (OVER_LIMIT.has(code)) return false;
  if (method === 'get') return code === 'FORBIDDEN';
  return operation !== 'reload' || code !== 'METHOD_NOT_ALLOWED';
}
