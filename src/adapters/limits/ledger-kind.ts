import type { Counting } from './window.ts';

/** What a ledger counts: how, where in Redis, and how its outages are logged. */
export interface LedgerKind extends Counting {
  /** Of all keys in Redis. */
  readonly prefix: string;
  readonly topic: string;
  readonly level: 'warn' | 'error';
  /** Before the reason. */
  readonly outage: string;
  /** After the reason. */
  readonly meanwhile: string;
  readonly recovered: string;
}

/** Budgets of accounts: a request charges all that it needs, or none. */
export const BUDGETS: LedgerKind = {
  parts: 60,
  isTogether: true,
  prefix: 'signing-service:budget:',
  topic: 'budgets',
  level: 'error',
  outage: 'Budgets cannot be charged; requests that need one get 503 BUDGET_UNAVAILABLE.',
  meanwhile: '',
  recovered: 'Budgets can be charged again.',
};

/** Rate limits of callers, accounts and failed authentication: each is charged by itself. */
export const RATES: LedgerKind = {
  parts: 10,
  isTogether: false,
  prefix: 'signing-service:rate:',
  topic: 'rate limits',
  level: 'warn',
  outage: 'Rate limits are currently not shared.',
  meanwhile: ' Meanwhile each replica allows the full limit.',
  recovered: 'Rate limits are shared again.',
};
