import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { alertTexts, dashboardTexts, programTexts, textList } from './user-texts.ts';

/* Writes build/user-texts.md: every text that a user may read. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = [...programTexts(root), alertTexts(root), dashboardTexts(root)];
mkdirSync(new URL('../../build/', import.meta.url), { recursive: true });
writeFileSync(new URL('../../build/user-texts.md', import.meta.url), textList(files));
const count = files.reduce((sum, { texts }) => sum + texts.length, 0);
process.stdout.write(`build/user-texts.md: ${count} texts of ${files.length} files.\n`);
