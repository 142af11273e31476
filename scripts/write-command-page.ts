/** Writes docs/CLI.md from the definitions of the commands. */
import { writeFileSync } from 'node:fs';
import { commandPage } from './command-page/command-page.ts';

writeFileSync(new URL('../docs/CLI.md', import.meta.url), commandPage());
