import * as fs from 'node:fs';
import * as promises from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * A mocha root hook plugin: tests depend on nothing but the clone. They run in an empty folder, so
 * that an installation in the clone (config, var) is none of theirs, without variables that the
 * service, its commands or curl read, with a home for Go and npm, and leave node:fs as they found
 * it for the next file. Stacks of their errors name the TypeScript.
 */

process.setSourceMapsEnabled(true);

const VARIABLES =
  /^(?:SIGN(?:ING|ER)_|OTEL_|NODE_ENV$|CREDENTIALS_DIRECTORY$|FORCE_COLOR$|NO_COLOR$|(?:https?|all)_proxy$)/i;

for (const name of Object.keys(process.env)) if (VARIABLES.test(name)) delete process.env[name];

/** Imported functions, which syncBuiltinESMExports replaces, too. */
const original = [fs, promises].map((module) => [module, { ...module }] as const);
let folder: string | undefined;

function isWritable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Mocha root hooks, in parallel runs for each file. */
export const mochaHooks = {
  beforeAll(): void {
    if (folder !== undefined) return;
    const created = fs.mkdtempSync(join(tmpdir(), 'signing-service-cwd-'));
    process.on('exit', () => fs.rmSync(created, { recursive: true }));
    process.chdir(created);
    if (!isWritable(homedir())) process.env['HOME'] = created;
    folder = created;
  },
  afterAll(): void {
    for (const [module, functions] of original) {
      const replaced = Object.entries(functions).filter(([name, value]) => Reflect.get(module, name) !== value);
      if (replaced.length > 0)
        throw new Error(`Left replaced in node:fs: ${replaced.map(([name]) => name).join(', ')}`);
    }
  },
};
