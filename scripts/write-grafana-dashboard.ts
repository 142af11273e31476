/** Writes deploy/grafana/signing-service.json. */
import { writeFileSync } from 'node:fs';
import { grafanaDashboard } from './grafana-dashboard.ts';

writeFileSync(new URL('../deploy/grafana/signing-service.json', import.meta.url), grafanaDashboard());
