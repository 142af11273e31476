import { z } from 'zod';
import { authenticationReport } from './authentication-report.ts';
import { reloadReport } from './reload-answers.ts';
import { certificateReport } from './tls-report.ts';

/** `data` of `GET /healthz`. */
export const aliveAnswer = z.object({ status: z.literal('alive') });

/** See {@link aliveAnswer}. */
export type AliveAnswer = z.infer<typeof aliveAnswer>;

const check = z.object({
  ok: z.boolean(),
  detail: z.string().exactOptional().describe('For operators; not where callers are asked who they are.'),
});

const facts = z.object({
  tls: certificateReport.nullable().exactOptional(),
  config: reloadReport.nullable().exactOptional(),
  authentication: authenticationReport.exactOptional(),
});

/** What operators look for in the same place; each is there once it is known. */
export type ReadinessFacts = z.infer<typeof facts>;

/** What `GET /readyz` shows, ready or not. */
export const readinessFields = {
  checks: z.object({
    keys: check.describe('A configuration was loaded, and it has an account.'),
    audit: check.describe('A record could be written now.'),
    selfTest: check.describe('A signature of each algorithm was made and verified.'),
    draining: check.describe('No stop was announced.'),
    authentication: check
      .exactOptional()
      .describe('Only with `SIGNING_AUTH=required`: it can be told whether a request came before.'),
  }),
  facts: facts.exactOptional().describe('They decide nothing; not where callers are asked who they are.'),
};

const readiness = z.object(readinessFields);

/** See {@link readinessFields}. */
export type ReadinessReport = z.infer<typeof readiness>;

/** `data` of `GET /readyz` when requests may come. */
export const readyAnswer = z.object({ status: z.literal('ready'), ...readinessFields });

/** See {@link readyAnswer}. */
export type ReadyAnswer = z.infer<typeof readyAnswer>;
