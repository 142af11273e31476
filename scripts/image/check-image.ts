import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { megabytes, print } from '../stage/print.ts';
import { readDockerfile } from './dockerfile-steps.ts';
import { digestOf, faultsOf, imageFiles } from './image-files.ts';
import { machineAsBase } from './machine-as-base.ts';
import { type ImageConfig, StageRoot } from './stage-root.ts';
import { tryImage } from './try-image.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Builds the image and tries it. Only in namespaces of its own.
 * @param scratch an empty folder
 * @returns whether all is as it should be; what is not, is printed
 */
export async function checkImage(scratch: string): Promise<boolean> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4g,mode=755', 'tmpfs', scratch]);
  try {
    const { root, config } = build(scratch);
    const faults = [...lookOver(root, config), ...(await tryImage(root, config, scratch))];
    for (const fault of faults) print(`FAILED: ${fault}`);
    if (faults.length === 0) print('All of it is as it should be.');
    return faults.length === 0;
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** Every stage in turn; the last is the image. */
function build(scratch: string): { readonly root: string; readonly config: ImageConfig } {
  const dockerfile = readDockerfile(readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8'));
  const values = buildArguments();
  const roots = new Map<string, StageRoot>();
  let last: { readonly root: string; readonly config: ImageConfig } | undefined;
  for (const stage of dockerfile.stages) {
    const folder = stage.base === 'scratch' ? join(scratch, stage.name) : machineAsBase(scratch);
    if (stage.base === 'scratch') mkdirSync(folder, { mode: 0o755 });
    else
      print(
        `not tried: FROM ${stage.base}; this machine stands in for it, with node ${process.version} (${process.arch})`,
      );
    print(`stage ${stage.name}`);
    const root = new StageRoot(folder, REPOSITORY, values);
    roots.set(stage.name, root);
    last = { root: folder, config: root.build(stage, roots) };
  }
  if (last === undefined) throw new Error('The Dockerfile has no stage.');
  return last;
}

/** As `--build-arg` would; SOURCE_DATE_EPOCH from the environment, as builders take it. */
function buildArguments(): { readonly [name: string]: string } {
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  return epoch === undefined ? {} : { SOURCE_DATE_EPOCH: epoch };
}

/** Prints what is in the image, and returns what should not be. */
function lookOver(root: string, config: ImageConfig): readonly string[] {
  const files = imageFiles(root);
  const regular = files.filter(({ stats }) => stats.isFile());
  const bytes = regular.reduce((sum, { stats }) => sum + stats.size, 0);
  print(`image: ${regular.length} files, ${megabytes(bytes)}, ${digestOf(root, files)}`);
  print(`  labels ${JSON.stringify(config.labels)}`);
  const programs = files.filter(
    ({ path, stats }) => /(?:^|\/)bin\//.test(path) && !path.includes('node_modules') && !stats.isDirectory(),
  );
  print(`  programs ${programs.map(({ path }) => `/${path}`).join(' ')}`);
  return faultsOf(files, config.volumes, Number(config.user.split(':')[0]));
}
