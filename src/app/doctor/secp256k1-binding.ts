import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { type Finding, ok, warning } from '../../adapters/machine/finding.ts';
import { type ModuleLoader, parseVersion } from '../../adapters/machine/native-modules.ts';

const CHECK = 'secp256k1-binding';
const PACKAGE = 'secp256k1-native';

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

/**
 * Names the loaded libsecp256k1, with a warning unless it is the reviewed binary. Empty if none can
 * be loaded: checkNativeModules reports that.
 */
export function checkSecp256k1Binding(load: ModuleLoader = createRequire(import.meta.url)): readonly Finding[] {
  const binary = loadedBinary(load);
  if (binary === undefined) return [];
  const name = `${PACKAGE} ${parseVersion(PACKAGE, load)}`.trimEnd();
  const { version, commit, committed, sha256 } = EXAMINED_BINDING;
  if (createHash('sha256').update(readFileSync(binary)).digest('hex') === sha256) {
    return [ok(CHECK, `${name}, libsecp256k1 of ${committed} (commit ${commit.slice(0, 12)})`)];
  }
  if (binary.includes(`${sep}${PACKAGE}${sep}build${sep}`)) {
    return [
      warning(
        CHECK,
        `${name} was compiled during installation and not examined: ${binary}`,
        'On x86-64 run `npm ci`, which installs the examined binary. On linux-arm64 compile with GCC and CFLAGS=-O1, as the Dockerfile does: ' +
          'with more optimization, signing time can depend on the key.',
      ),
    ];
  }
  return [
    warning(
      CHECK,
      `${name} is not the examined binary: ${binary}`,
      `Run \`npm ci\`, which installs version ${version}. Another one must be examined first, see docs/decisions/0002-secp256k1-binding.md.`,
    ),
  ];
}

function loadedBinary(load: ModuleLoader): string | undefined {
  try {
    load(PACKAGE);
  } catch {
    return undefined;
  }
  return Object.keys(load.cache).find((file) => file.endsWith('.node') && file.includes(`${sep}${PACKAGE}${sep}`));
}
