import { readFileSync, writeFileSync } from 'node:fs';
import { commandPage } from './command-page.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';
import { metricsPage } from './metrics-page.ts';
import { presetPage } from './preset-page.ts';
import { SETTINGS_PAGE, withSettings } from './settings-table.ts';

/* Writes the generated documentation. */

const FILES: { readonly [name: string]: string } = {
  'docs/callers/venues.md': presetPage(),
  'docs/operators/metrics.md': metricsPage(),
  'docs/operators/command-line.md': commandPage(),
  [SETTINGS_PAGE]: withSettings(readFileSync(new URL(`../../${SETTINGS_PAGE}`, import.meta.url), 'utf8')),
  'deploy/grafana/signing-service.json': grafanaDashboard(),
};

for (const [name, content] of Object.entries(FILES)) writeFileSync(new URL(`../../${name}`, import.meta.url), content);
