import type { ImportGraph } from './import-graph.ts';

/** One layer of the house. */
interface Layer {
  readonly name: string;
  /** The files that belong to it; the first group, where there is one, names the part that a file may not leave sideways. */
  readonly files: RegExp;
  /** Names of the layers that it may import beside its own part. */
  readonly mayImport: readonly string[];
  /** Which packages and modules of Node it may import. */
  readonly packages: 'none' | 'any' | { readonly only: readonly string[] } | { readonly except: readonly string[] };
}

const CORE = ['model', 'payload', 'presets', 'ports', 'services'];
const ADAPTERS = ['driven adapters', 'driving adapters'];

/** The order of the house: model ← payload, ports ← services ← adapters ← composition ← programs. */
const LAYERS: readonly Layer[] = [
  { name: 'model', files: /^src\/domain\/model\//, mayImport: [], packages: 'none' },
  { name: 'payload', files: /^src\/domain\/payload\//, mayImport: ['model'], packages: 'none' },
  { name: 'presets', files: /^src\/domain\/presets\//, mayImport: ['model'], packages: 'none' },
  { name: 'ports', files: /^src\/ports\//, mayImport: ['model'], packages: 'none' },
  { name: 'services', files: /^src\/domain\/services\//, mayImport: ['model', 'payload', 'ports'], packages: 'none' },
  { name: 'native types', files: /^src\/native\/[^/]+\.d\.ts$/, mayImport: [], packages: 'none' },
  { name: 'secure memory', files: /^src\/secure-memory\//, mayImport: ['files'], packages: 'any' },
  {
    name: 'audit trail',
    files: /^src\/audit-trail\//,
    mayImport: ['model', 'payload'],
    packages: { only: ['node:buffer', 'node:crypto', 'node:fs', 'node:path', 'zod'] },
  },
  { name: 'files', files: /^src\/files\//, mayImport: [], packages: { only: ['node:fs', 'node:path'] } },
  {
    name: 'Redis',
    files: /^src\/redis\//,
    mayImport: ['files'],
    packages: { only: ['@redis/client', 'node:fs'] },
  },
  {
    name: 'access messages',
    files: /^src\/access-messages\//,
    mayImport: ['model'],
    packages: { only: ['@bufbuild/protobuf', 'node:buffer'] },
  },
  { name: 'JSON text', files: /^src\/json-text\//, mayImport: [], packages: { only: ['jsonc-parser'] } },
  {
    name: 'machine',
    files: /^src\/machine\//,
    mayImport: ['files', 'secure memory'],
    packages: { only: ['node:child_process', 'node:fs', 'node:module', 'node:path', 'node:util'] },
  },
  {
    name: 'driven adapters',
    files: /^src\/adapters\/(driven\/[^/]+)\//,
    mayImport: [...CORE, 'access messages', 'audit trail', 'files', 'JSON text', 'Redis', 'secure memory'],
    packages: 'any',
  },
  {
    name: 'driving adapters',
    files: /^src\/adapters\/(driving\/[^/]+)\//,
    mayImport: [...CORE, 'access messages', 'files', 'JSON text'],
    packages: { except: ['sodium-native', 'secp256k1-native'] },
  },
  {
    name: 'composition',
    files: /^src\/composition\//,
    mayImport: [...CORE, 'audit trail', 'secure memory', 'machine', 'files', 'Redis', ...ADAPTERS, 'start'],
    packages: 'any',
  },
  {
    name: 'client',
    files: /^src\/client\//,
    mayImport: [],
    packages: {
      only: [
        ...['ethers/crypto', 'ethers/transaction'],
        ...[
          'node:crypto',
          'node:events',
          'node:fs',
          'node:http',
          'node:https',
          'node:net',
          'node:timers/promises',
          'node:tls',
        ],
      ],
    },
  },
  { name: 'start', files: /^src\/load-or-explain\.ts$/, mayImport: [], packages: 'none' },
  {
    name: 'programs',
    files: /^src\/(main|cli|healthcheck)\.ts$/,
    mayImport: [...CORE, 'secure memory', ...ADAPTERS, 'composition', 'start'],
    packages: 'any',
  },
];

/** Every import that the order of the house forbids, as a sentence. */
export function findLayerFaults(graph: ImportGraph): readonly string[] {
  return [...graph].flatMap(([file, imports]) => {
    const layer = layerOf(file);
    if (layer === undefined) return [`${file} belongs to no layer`];
    return imports.flatMap((target) => {
      const reason = faultOf(graph, layer, file, target);
      return reason === undefined ? [] : [`${file} imports ${target}: ${reason}`];
    });
  });
}

/** The files of one circle of imports, the first one named again at the end; undefined when there is none. */
export function findCycle(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function faultOf(graph: ImportGraph, layer: Layer, file: string, target: string): string | undefined {
  if (target.startsWith('<')) {
    return mayImportPackage(layer, target) ? undefined : `${layer.name} may not import this package`;
  }
  if (!target.startsWith('src/')) return 'it is outside src';
  if (!graph.has(target)) return 'there is no such file';
  const targetLayer = layerOf(target);
  if (targetLayer === undefined) return 'it belongs to no layer';
  if (targetLayer !== layer) {
    return layer.mayImport.includes(targetLayer.name) ? undefined : `${layer.name} may not import ${targetLayer.name}`;
  }
  return partOf(layer, file) === partOf(layer, target) ? undefined : `no sideways import between ${layer.name}`;
}

/** A path inside a package counts as the package. */
function mayImportPackage({ packages }: Layer, target: string): boolean {
  if (typeof packages === 'string') return packages === 'any';
  const isOf = (name: string): boolean => target === `<${name}>` || target.startsWith(`<${name}/`);
  return 'only' in packages ? packages.only.some(isOf) : !packages.except.some(isOf);
}

function layerOf(file: string): Layer | undefined {
  return LAYERS.find(({ files }) => files.test(file));
}

function partOf(layer: Layer, file: string): string | undefined {
  return layer.files.exec(file)?.[1];
}
