import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

/* Copies the built client and the license into clients/typescript. `npm pack` runs it. */

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'clients/typescript');
rmSync(join(folder, 'dist'), { recursive: true, force: true });
cpSync(join(root, 'dist/client'), join(folder, 'dist'), { recursive: true });
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
