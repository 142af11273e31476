import type { ReadMetric } from '../metric-definition.ts';
import { ACCOUNT_METRICS } from './account-metrics.ts';
import { AUDIT_METRICS } from './audit-metrics.ts';
import { CALLER_METRICS } from './caller-metrics.ts';
import { CONFIGURATION_METRICS } from './configuration-metrics.ts';
import { KEY_METRICS } from './key-metrics.ts';
import { SERVICE_METRICS } from './service-metrics.ts';
import { TRAFFIC_METRICS } from './traffic-metrics.ts';

/** Metrics that are read for each page, by what they are about, in the order of the page. */
export const READ_METRICS: { readonly [title: string]: readonly ReadMetric[] } = {
  'The service': SERVICE_METRICS,
  Traffic: TRAFFIC_METRICS,
  'The audit record': AUDIT_METRICS,
  Configuration: CONFIGURATION_METRICS,
  Keys: KEY_METRICS,
  'Certificates and tokens': CALLER_METRICS,
  Accounts: ACCOUNT_METRICS,
};
