import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { print } from '../tests/harness/print.ts';
import { GENERATED } from './generate/generated-files.ts';

/*
 * Writes generated files; --check lists those that are not current instead.
 *
 * npm run generate [-- schema docs clients] [-- --check]
 */

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !Object.hasOwn(GENERATED, name));
if (unknown.length > 0) {
  print(`There is no ${unknown.join(', ')}: name ${Object.keys(GENERATED).join(', ')}.`);
  process.exit(2);
}
const chosen = Object.entries(GENERATED).filter(([name]) => positionals.length === 0 || positionals.includes(name));
const files = (await Promise.all(chosen.map(([, generate]) => generate()))).flatMap((texts) => Object.entries(texts));
const toUrl = (path: string) => new URL(`../${path}`, import.meta.url);
const isCurrent = (url: URL, text: string) => existsSync(url) && readFileSync(url, 'utf8') === text;
const stale = files.filter(([path, text]) => !isCurrent(toUrl(path), text));
if (values.check) {
  for (const [path] of stale) print(`${path} is not current.`);
  if (stale.length === 0) print(`${files.length} files are current.`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) writeFileSync(toUrl(path), text);
}
