import { createRequire } from 'node:module';
import { type Finding, fail, ok } from './finding.ts';

/** Loads modules and knows which files have been loaded. */
export type ModuleLoader = ((name: string) => unknown) & { readonly cache: object };

/** A JavaScript implementation of secp256k1 that some packages fall back to without a word: it leaves copies of keys in ordinary memory. */
const UNWANTED = '/node_modules/elliptic/';

/**
 * Whether the native libraries load on this machine, and that no library is loaded which handles keys in JavaScript.
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
      `${missing.join(', ')} can't be loaded`,
      'Run `npm ci` on this machine; it needs glibc (Debian, Ubuntu, Fedora; not Alpine), and python3, make and g++ where nothing is prebuilt (linux-arm64: `CFLAGS=-O1 npm ci`).',
    );
  }
  if (Object.keys(load.cache).some((file) => file.replaceAll('\\', '/').includes(UNWANTED))) {
    return fail(
      'native-modules',
      'elliptic is loaded, which keeps keys in ordinary memory',
      'Find what brings it with `npm ls elliptic`, and remove that.',
    );
  }
  return ok('native-modules', names.map((name) => `${name} ${versionOf(name, load)}`.trimEnd()).join(', '));
}

function canLoad(name: string, load: ModuleLoader): boolean {
  try {
    load(name);
    return true;
  } catch {
    return false;
  }
}

/** The version that an installed package states; empty where it does not show it. */
export function versionOf(name: string, load: ModuleLoader): string {
  try {
    const manifest = load(`${name}/package.json`);
    return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '?';
  } catch {
    // The package does not show its manifest; that it loads is what counts.
    return '';
  }
}
