/** Writes docs/PRESETS.md from the presets. */
import { writeFileSync } from 'node:fs';
import { presetPage } from './preset-page.ts';

writeFileSync(new URL('../docs/PRESETS.md', import.meta.url), presetPage());
