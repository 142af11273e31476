import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/*
 * Builds the package clients/typescript from src/client: one module, one file of types, and the
 * license. `npm pack` runs it.
 */

const ROOT = resolve(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'clients/typescript');
const TYPES = join(ROOT, 'build/client-types');

/** Imports and exports from other files, which tsc writes on one line each. */
const FROM = /^(import|export)\b(?: type)? \{([^}]*)\} from '\.\/([a-z0-9-]+)\.[jt]s';\n/gm;

rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: [join(ROOT, 'src/client/client.ts')],
  outfile: join(PACKAGE, 'dist/client.js'),
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  logLevel: 'warning',
});
rmSync(TYPES, { recursive: true, force: true });
mkdirSync(TYPES, { recursive: true });
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', PACKAGE], { stdio: 'inherit' });
writeFileSync(join(PACKAGE, 'dist/client.d.ts'), joinTypes('client'));
cpSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));

/** The types that a file and its imports declare, as one file with the exports of the first. */
function joinTypes(entry: string): string {
  const files = new Map<string, string>();
  const read = (name: string): void => {
    if (files.has(name)) return;
    const text = readFileSync(join(TYPES, `${name}.d.ts`), 'utf8');
    files.set(name, text);
    for (const [, , , imported = ''] of text.matchAll(FROM)) read(imported);
  };
  read(entry);
  const exported = [...(files.get(entry) ?? '').matchAll(FROM)].flatMap(([, , names = '']) => names.split(','));
  files.delete(entry);
  const declarations = [...files.values()].map((text) =>
    text.replace(FROM, '').replace(/^export (?=declare |interface |type |abstract )/gm, ''),
  );
  const names = exported.map((name) => name.replace('type ', '').trim()).filter((name) => name !== '');
  return `${declarations.join('')}export { ${names.join(', ')} };\n`;
}
