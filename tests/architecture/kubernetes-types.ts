import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PROJECT_ROOT } from './planted-copy.ts';

/** One object of a manifest. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
}

/** Where `kubernetes-types` has the kinds of an API group and version. */
const MODULES: { readonly [apiVersion: string]: string } = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'esnext', moduleResolution: 'bundler' },
  target: 'es2023',
};

/**
 * Compiles objects against the types that were made from Kubernetes' own description of its API: fields that there are not, values of a wrong type and words that are not allowed are errors.
 * @returns what the compiler says; an empty text when all is well
 */
export function kubernetesFaults(objects: readonly KubernetesObject[]): string {
  const build = join(PROJECT_ROOT, 'build');
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(join(build, 'manifests-'));
  try {
    writeFileSync(join(folder, 'manifests.ts'), objects.map(declaration).join('\n'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function declaration(object: KubernetesObject, index: number): string {
  const module = MODULES[object.apiVersion];
  if (module === undefined) return `const object${index}: never = '${object.apiVersion} is not known here';`;
  return `const object${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object, null, 2)};`;
}

/** What kustomize, which kubectl has, makes of a folder. Needs no cluster. */
export function kustomized(kubectl: string, folder: string): string {
  return execFileSync(kubectl, ['kustomize', folder], { encoding: 'utf8' });
}
