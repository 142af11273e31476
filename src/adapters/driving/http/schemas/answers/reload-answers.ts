import { z } from 'zod';
import { count, moment, oneOfMore } from './answer-fields.ts';

/** One thing that is wrong, and where. */
export const issue = z.object({
  path: z.string().describe('The field, such as `requests[3].platformId`; empty for the whole.'),
  message: z.string().describe('What it should be; for people.'),
});

/** `data` of `POST /config/reload`: the specification's Reload result. */
export const reloadAnswer = z.object({
  reloadedAt: moment.describe('When the reading began, ISO 8601 UTC.'),
  changes: z
    .object({ added: count, updated: count, removed: count })
    .describe('Accounts; updated when a visible field or the key changed.'),
  accountCount: count.describe('Accounts after the reload.'),
  platformCount: count.describe('Platforms after the reload.'),
});

/** See {@link reloadAnswer}. */
export type ReloadAnswer = z.infer<typeof reloadAnswer>;

/** How a reading of the configuration went, as operators see it. */
export const reloadReport = z.object({
  at: moment,
  trigger: oneOfMore(['start', 'request', 'signal', 'watch']).describe('What made the file be read.'),
  outcome: z.enum(['success', 'failed']),
  issues: z.array(issue).describe('What is wrong; empty after a success.'),
});

/** See {@link reloadReport}. */
export type ReloadReport = z.infer<typeof reloadReport>;
