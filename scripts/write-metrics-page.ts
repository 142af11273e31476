/** Writes docs/METRICS.md from the definitions of the metrics. */
import { writeFileSync } from 'node:fs';
import { metricsPage } from './metrics-page.ts';

writeFileSync(new URL('../docs/METRICS.md', import.meta.url), metricsPage());
