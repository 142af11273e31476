import { writeFileSync } from 'node:fs';
import { GENERATED } from './generated-files.ts';

/* Writes the generated files of a name: `schema` or `docs`. */

const name = process.argv[2] === 'schema' ? 'schema' : 'docs';
const files = await GENERATED[name]();
for (const [path, text] of Object.entries(files)) writeFileSync(new URL(`../../${path}`, import.meta.url), text);
