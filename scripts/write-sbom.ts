import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { print } from './stage/print.ts';

/*
 * Prints the software bill of materials of what runs in production, as CycloneDX 1.5 JSON: every package of the lock file that is not for development alone, with its version, license and the SHA-512 of what the registry
 * serves. Made by `npm sbom`, without a network, from package.json and package-lock.json; the same two files give the same bytes, whichever npm, folder and day: what npm says of these is left out.
 *
 * npm run --silent generate -- sbom > sbom.cdx.json
 */

const REPOSITORY = resolve(import.meta.dirname, '..');

/** Not --omit=dev: with it, npm 10 and 11 leave out what the service and the tests both need. */
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

/** References, `name@version`, of what the lock file has for production. */
function inProduction(): ReadonlySet<string> {
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

/** Where a package lies in node_modules, and that it is for development in another place too, is told by some versions of npm alone. */
function withoutPlace({ properties = [], ...component }: Component): Component {
  const places = ['cdx:npm:package:path', 'cdx:npm:package:development'];
  return { ...component, scope: 'required', properties: properties.filter(({ name }) => !places.includes(name)) };
}

/** A package that lies in two places is one component; npm 10 lists it for each, under one reference, which CycloneDX forbids. */
function onceEach<Entry>(entries: readonly Entry[], reference: (entry: Entry) => string): readonly Entry[] {
  return [...new Map(entries.map((entry) => [reference(entry), entry])).values()];
}

/** A UUID of version 8 (RFC 9562) out of the SHA-256 of a text: the same text, the same document. */
function uuidOf(text: string): string {
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
const kept = inProduction();

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
    component: { ...withoutPlace(root), name, type: 'application' },
  },
  components: onceEach(made.components, (component) => component['bom-ref'])
    .filter((component) => kept.has(component['bom-ref']))
    .map(withoutPlace),
  dependencies: onceEach(made.dependencies, ({ ref }) => ref)
    .filter(({ ref }) => ref === root['bom-ref'] || kept.has(ref))
    .map(needed),
};
const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
print(JSON.stringify({ ...bom, serialNumber }, null, 2));
