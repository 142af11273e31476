import { createRequire } from 'node:module';
import { type Finding, fail, ok } from './finding.ts';

/** A `require` function. */
export type ModuleLoader = ((name: string) => unknown) & { readonly cache: object };

/**
 * A JavaScript secp256k1, silent fallback of some packages: it leaves key copies in ordinary
 * memory.
 */
const UNWANTED = '/node_modules/elliptic/';

/**
 * Whether the native libraries load, and no JavaScript key library does.
 * @param names package names
 */
export function checkNativeModules(
  names: readonly string[],
  load: ModuleLoader = createRequire(import.meta.url),
): Finding {
  const missing = names.filter((name) => !canLoad(name, load));
  if (missing.length > 0) {
    return fail(
      'native-modules',
      `${missing.join(', ')} cannot be loaded`,
      'Run `npm ci` on this machine; it needs glibc (Debian, Ubuntu, Fedora; not Alpine) and, without prebuilt binaries, python3, make and g++ (linux-arm64: `CFLAGS=-O1 npm ci`).',
    );
  }
  if (Object.keys(load.cache).some((file) => file.replaceAll('\\', '/').includes(UNWANTED))) {
    return fail(
      'native-modules',
      'elliptic is loaded, which keeps keys in ordinary memory',
      'Find the package that depends on it with `npm ls elliptic`, and remove that package.',
    );
  }
  return ok('native-modules', names.map((name) => `${name} ${parseVersion(name, load)}`.trimEnd()).join(', '));
}

function canLoad(name: string, load: ModuleLoader): boolean {
  try {
    load(name);
    return true;
  } catch {
    return false;
  }
}

/** The version of an installed package; empty when not exported. */
export function parseVersion(name: string, load: ModuleLoader): string {
  try {
    const manifest = load(`${name}/package.json`);
    return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '?';
  } catch {
    // The package does not export its manifest.
    return '';
  }
}
