import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { print } from '../run/print.ts';

/*
 * Prints the bill of materials of production as CycloneDX 1.5 JSON, from `npm sbom` without a
 * network. It depends on package.json and package-lock.json only, not on npm's version, folder or
 * date.
 *
 * npm run --silent generate -- sbom > sbom.cdx.json
 */

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** Not --omit=dev, with which npm 10 and 11 omit packages that production and tests share. */
const OPTIONS = ['--offline', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error'];

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly scope?: string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

interface Bom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component; readonly [name: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

const MODULES = 'node_modules/';

/** `name@version` of production packages in the lock file. */
function listProductionPackages(): ReadonlySet<string> {
  const { packages } = readJson('package-lock.json');
  const entries = Object.entries(packages as { [path: string]: { readonly version: string; readonly dev?: true } });
  const kept = entries.filter(([path, { dev }]) => path !== '' && dev !== true);
  return new Set(
    kept.map(([path, { version }]) => `${path.slice(path.lastIndexOf(MODULES) + MODULES.length)}@${version}`),
  );
}

function readJson(file: string) {
  return JSON.parse(readFileSync(join(REPOSITORY, file), 'utf8'));
}

/** Removes properties that only some versions of npm write. */
function withoutPath({ properties = [], ...component }: Component): Component {
  const places = ['cdx:npm:package:path', 'cdx:npm:package:development'];
  return { ...component, scope: 'required', properties: properties.filter(({ name }) => !places.includes(name)) };
}

/** npm 10 repeats packages in several folders under one reference, which CycloneDX forbids. */
function uniqueBy<Entry>(entries: readonly Entry[], reference: (entry: Entry) => string): readonly Entry[] {
  return [...new Map(entries.map((entry) => [reference(entry), entry])).values()];
}

/** UUID version 8 (RFC 9562) from the SHA-256 of a text. */
function toUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const { name, dependencies } = readJson('package.json');
const { serialNumber: _random, ...made }: Bom = JSON.parse(
  execFileSync('npm', ['sbom', ...OPTIONS], { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 2 ** 26 }),
);
const root = made.metadata.component;
const kept = listProductionPackages();

function needed({ ref, dependsOn }: Dependency): Dependency {
  const isNeeded = (one: string) =>
    ref === root['bom-ref'] ? Object.hasOwn(dependencies, one.slice(0, one.lastIndexOf('@'))) : kept.has(one);
  return { ref, dependsOn: dependsOn.filter(isNeeded) };
}

const bom = {
  ...made,
  metadata: {
    lifecycles: made.metadata['lifecycles'],
    tools: [{ vendor: 'npm', name: 'cli' }],
    component: { ...withoutPath(root), name, type: 'application' },
  },
  components: uniqueBy(made.components, (component) => component['bom-ref'])
    .filter((component) => kept.has(component['bom-ref']))
    .map(withoutPath),
  dependencies: uniqueBy(made.dependencies, ({ ref }) => ref)
    .filter(({ ref }) => ref === root['bom-ref'] || kept.has(ref))
    .map(needed),
};
const serialNumber = `urn:uuid:${toUuid(JSON.stringify(bom))}`;
print(JSON.stringify({ ...bom, serialNumber }, null, 2));
