import type { Operation } from '../operation.ts';
import { ACCOUNT_OPERATION, ACCOUNTS_OPERATION } from './account-operations.ts';
import { DOCS_OPERATION, HEALTHZ_OPERATION, OPENAPI_OPERATION, READYZ_OPERATION } from './open-operations.ts';
import { METRICS_OPERATION, RELOAD_OPERATION, STATUS_OPERATION } from './operator-operations.ts';
import { SIGN_BATCH_OPERATION } from './sign-batch-operation.ts';
import { SIGN_OPERATION } from './sign-operation.ts';
import { VERIFY_OPERATION } from './verify-operation.ts';

/** Everything that is published, in the order of the specification, then what stands beside it. A test compares it with the routes of the service. */
export const OPERATIONS: readonly Operation[] = [
  SIGN_OPERATION,
  SIGN_BATCH_OPERATION,
  VERIFY_OPERATION,
  ACCOUNTS_OPERATION,
  ACCOUNT_OPERATION,
  RELOAD_OPERATION,
  STATUS_OPERATION,
  METRICS_OPERATION,
  HEALTHZ_OPERATION,
  READYZ_OPERATION,
  OPENAPI_OPERATION,
  DOCS_OPERATION,
];
