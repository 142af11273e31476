import { readFileSync, writeFileSync } from 'node:fs';
import { commandPage } from './command-page.ts';
import { grafanaDashboard } from './grafana-dashboard.ts';
import { metricsPage } from './metrics-page.ts';
import { presetPage } from './preset-page.ts';
import { withSettings } from './settings-table.ts';

/* Writes the generated documentation. */

const FILES: { readonly [name: string]: string } = {
  'docs/PRESETS.md': presetPage(),
  'docs/METRICS.md': metricsPage(),
  'docs/CLI.md': commandPage(),
  'README.md': withSettings(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')),
  'deploy/grafana/signing-service.json': grafanaDashboard(),
};

for (const [name, content] of Object.entries(FILES)) writeFileSync(new URL(`../../${name}`, import.meta.url), content);
