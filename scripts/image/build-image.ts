import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatMegabytes, print } from '../run/print.ts';
import { readDockerfile } from './dockerfile-steps.ts';
import { digestFiles, findIssues, imageFiles } from './image-files.ts';
import { type ImageConfig, StageRoot } from './stage-root.ts';
import { tryImage } from './try-image.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/**
 * Builds and tries the image, in namespaces of its own.
 * @param scratch an empty folder
 * @returns whether there was no issue; issues are printed
 */
export async function checkImage(scratch: string): Promise<boolean> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4g,mode=755', 'tmpfs', scratch]);
  try {
    const { root, config } = build(scratch);
    const issues = [...inspect(root, config), ...(await tryImage(root, config, scratch))];
    for (const issue of issues) print(`FAILED: ${issue}`);
    if (issues.length === 0) print('All of it is as it should be.');
    return issues.length === 0;
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/** Builds all stages; the last is the image. */
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

/** Like `--build-arg`; builders take SOURCE_DATE_EPOCH from the environment. */
function buildArguments(): { readonly [name: string]: string } {
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  return epoch === undefined ? {} : { SOURCE_DATE_EPOCH: epoch };
}

/** Prints the image's content and returns issues. */
function inspect(root: string, config: ImageConfig): readonly string[] {
  const files = imageFiles(root);
  const regular = files.filter(({ stats }) => stats.isFile());
  const bytes = regular.reduce((sum, { stats }) => sum + stats.size, 0);
  print(`image: ${regular.length} files, ${formatMegabytes(bytes)}, ${digestFiles(root, files)}`);
  print(`  labels ${JSON.stringify(config.labels)}`);
  const programs = files.filter(
    ({ path, stats }) => /(?:^|\/)bin\//.test(path) && !path.includes('node_modules') && !stats.isDirectory(),
  );
  print(`  programs ${programs.map(({ path }) => `/${path}`).join(' ')}`);
  return findIssues(files, config.volumes, Number(config.user.split(':')[0]));
}

/** Folders of the Dockerfile's steps, which this machine must not have. */
const MADE = ['build', 'image', 'owned', 'recorded'];

/** Those that exist. */
export function takenFolders(): readonly string[] {
  return MADE.filter((name) => existsSync(join('/', name)));
}

/**
 * This machine as base image: an overlay in memory, with the running node in /usr/local.
 * @param scratch an empty folder in memory
 * @returns the root
 */
export function machineAsBase(scratch: string): string {
  const root = join(scratch, 'machine');
  const [upper, work] = [join(scratch, 'upper'), join(scratch, 'work')];
  for (const folder of [root, upper, work]) mkdirSync(folder);
  const options = `lowerdir=/,upperdir=${upper},workdir=${work}`;
  execFileSync('mount', ['-t', 'overlay', '-o', options, 'overlay', root]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', join(root, 'tmp')]);
  execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')]);
  execFileSync('mount', ['--bind', '/dev', join(root, 'dev')]);
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  const headers = join(dirname(process.execPath), '../include');
  // /usr/include holds more than node's headers.
  if (dirname(process.execPath) !== '/usr/bin') cpSync(headers, join(root, 'usr/local/include'), { recursive: true });
  return root;
}
