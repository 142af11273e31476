import { existsSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** Licenses that require no more than text and notices, for production. */
const ALLOWED_IN_SERVICE: readonly string[] = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

/** Also for development, which is not distributed. */
const ALLOWED_WHILE_DEVELOPING: readonly string[] = [
  ...ALLOWED_IN_SERVICE,
  ...['BlueOak-1.0.0', 'CC BY-SA 4.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0', 'WTFPL', 'Zlib'],
];

/** A package of the lock file. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; null if missing. */
  readonly license: string | null;
  /** From the installed manifest; null if not installed, such as binaries of other systems. */
  readonly installedLicense: string | null;
  readonly isForDevelopment: boolean;
}

interface LockFile {
  readonly packages: {
    readonly [path: string]: { readonly version: string; readonly license?: string; readonly dev?: true };
  };
}

/** All packages of package-lock.json, by name and version. */
export function lockedPackages(): readonly LicensedPackage[] {
  const { packages }: LockFile = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8'));
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, license, dev }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license: license ?? null,
      installedLicense: installedLicense(path),
      isForDevelopment: dev === true,
    }))
    .sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.version, b.version));
}

/** License issues, one sentence each. */
export function findLicenseIssues(packages: readonly LicensedPackage[]): readonly string[] {
  return packages.flatMap(({ name, version, license, installedLicense: own, isForDevelopment }) => {
    const which = `${name} ${version}`;
    if (license === null) return [`${which} names no license.`];
    if (own !== null && own !== license) return [`${which} is ${license} in the lock file, and says ${own} of itself.`];
    const allowed = isForDevelopment ? ALLOWED_WHILE_DEVELOPING : ALLOWED_IN_SERVICE;
    return isAllowed(license, allowed) ? [] : [`${which} is ${license}, which is not allowed where it is used.`];
  });
}

/** The list of licenses for a release. */
export function licensePage(packages: readonly LicensedPackage[]): string {
  const ofService = packages.filter(({ isForDevelopment }) => !isForDevelopment);
  const others = packages.filter(({ isForDevelopment }) => isForDevelopment);
  return `# Licenses of dependencies

Made by \`npm run generate -- licenses\` from package-lock.json. The service itself is Apache-2.0. The license texts are in the folder of each package, in \`node_modules\` and in the image.

## Production

${summary(ofService)} Allowed: ${ALLOWED_IN_SERVICE.join(', ')}.

${table(ofService)}

## Development

Not part of the package or the image. ${summary(others)} Also allowed: ${ALLOWED_WHILE_DEVELOPING.slice(ALLOWED_IN_SERVICE.length).join(', ')}.

${table(others)}
`;
}

/** Number of packages by license, in a sentence. */
export function summary(packages: readonly LicensedPackage[]): string {
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license ?? 'none', (counts.get(license ?? 'none') ?? 0) + 1);
  const parts = [...counts].sort(([a], [b]) => compareTexts(a, b)).map(([license, count]) => `${count} ${license}`);
  return `${packages.length} packages: ${parts.join(', ')}.`;
}

function table(packages: readonly LicensedPackage[]): string {
  const rows = packages.map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`);
  return ['| Package | Version | License |', '|---|---|---|', ...rows].join('\n');
}

/** Supports `A`, `A OR B`, `A AND B`, optionally in parentheses; anything else is not allowed. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const bare = expression.startsWith('(') && expression.endsWith(')') ? expression.slice(1, -1) : expression;
  const isOne = (license: string) => allowed.includes(license);
  if (bare.includes(' AND ')) return bare.split(' AND ').every(isOne);
  return bare.split(' OR ').some(isOne);
}

function installedLicense(path: string): string | null {
  const manifest = new URL(`${path}/package.json`, ROOT);
  if (!existsSync(manifest)) return null;
  const { license } = JSON.parse(readFileSync(manifest, 'utf8'));
  return typeof license === 'string' ? license : null;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
