import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fail, type Outcome, warning } from './outcome.ts';

/** A `require` function. */
export type ModuleLoader = ((name: string) => unknown) & { readonly cache: object };

/** Packages whose native code handles keys or the audit file. */
const NATIVE_MODULES = ['sodium-native', 'secp256k1-native', 'fs-native-extensions'];

/**
 * A JavaScript secp256k1, silent fallback of some packages: it leaves key copies in ordinary
 * memory.
 */
const UNWANTED = '/node_modules/elliptic/';

/** Whether the native libraries load, and no JavaScript key library does. */
export function checkNativeModules(load: ModuleLoader = createRequire(import.meta.url)): Outcome {
  const missing = NATIVE_MODULES.filter((name) => !canLoad(name, load));
  if (missing.length > 0) {
    return fail(
      `${missing.join(', ')} cannot be loaded`,
      'Run `npm ci` on this machine; it needs glibc (Debian, Ubuntu, Fedora; not Alpine) and, without prebuilt binaries, python3, make and g++ (linux-arm64: `CFLAGS=-O1 npm ci`).',
    );
  }
  if (Object.keys(load.cache).some((file) => file.includes(UNWANTED))) {
    return fail(
      'elliptic is loaded, which keeps keys in ordinary memory',
      'Find the package that depends on it with `npm ls elliptic`, and remove that package.',
    );
  }
  return NATIVE_MODULES.map((name) => nameVersion(name, load)).join(', ');
}

const SECP256K1 = 'secp256k1-native';

/** The reviewed binary, see docs/decisions/0002-secp256k1-binding.md. Change both together. */
export const EXAMINED_BINDING = {
  version: '1.1.3',
  /** Commit of bitcoin-core/secp256k1 in the package. */
  commit: '4f27e344c69c33b4f3f448baa0196b9892287081',
  /** Date of that commit. */
  committed: '2020-03-27',
  /** SHA-256 of the package's prebuilds/linux-x64/node.napi.node, in hex. */
  sha256: '22ba5e8a9b2a6b03ad5a61d07774eba23a9785b933da4509eebcf334edf557b6',
} as const;

/** Names libsecp256k1, which can be loaded, with a warning unless it is the reviewed binary. */
export function checkSecp256k1Binding(load: ModuleLoader = createRequire(import.meta.url)): Outcome {
  load(SECP256K1);
  const folder = `/${SECP256K1}/`;
  const binary = Object.keys(load.cache).find((file) => file.endsWith('.node') && file.includes(folder)) ?? '';
  const name = nameVersion(SECP256K1, load);
  const { version, commit, committed, sha256 } = EXAMINED_BINDING;
  if (createHash('sha256').update(readFileSync(binary)).digest('hex') === sha256) {
    return `${name}, libsecp256k1 of ${committed} (commit ${commit.slice(0, 12)})`;
  }
  if (binary.includes(`${folder}build/`)) {
    return warning(
      `${name} was compiled during installation and not examined: ${binary}`,
      'On x86-64 run `npm ci`, which installs the examined binary. On linux-arm64 compile with GCC and CFLAGS=-O1, as the Dockerfile does: ' +
        'with more optimization, signing time can depend on the key.',
    );
  }
  return warning(
    `${name} is not the examined binary: ${binary}`,
    `Run \`npm ci\`, which installs version ${version}. Another one must be examined first, see docs/decisions/0002-secp256k1-binding.md.`,
  );
}

function canLoad(name: string, load: ModuleLoader): boolean {
  try {
    load(name);
    return true;
  } catch {
    return false;
  }
}

/** An installed package with its version, unless it does not export its manifest. */
function nameVersion(name: string, load: ModuleLoader): string {
  const manifest = `${name}/package.json`;
  return canLoad(manifest, load) ? `${name} ${(load(manifest) as { version: string }).version}` : name;
}
