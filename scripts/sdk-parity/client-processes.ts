import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NPM_BEFORE, type SdkPackage } from './sdk-packages.ts';

/** Folder of the programs that let clients sign. */
const RECORDERS = join(import.meta.dirname, 'record');

/**
 * Installs clients from the npm registry into a folder, without install scripts, and copies the
 * programs of record/ there.
 * @param additions `name@version` of packages that a client loads without depending on them
 */
export async function installFromNpm(
  folder: string,
  packages: readonly SdkPackage[],
  additions: readonly string[] = [],
): Promise<void> {
  const names = packages.map(({ name, registryName, version }) =>
    registryName === undefined ? `${name}@${version}` : `${name}@npm:${registryName}@${version}`,
  );
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  // @nktkas/hyperliquid names a newer Node, but its signing needs none.
  const options = [
    `--before=${NPM_BEFORE}`,
    '--no-engine-strict',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await run('npm', ['install', '--prefix', folder, ...options, ...names, ...additions], folder);
  for (const file of readdirSync(RECORDERS)) cpSync(join(RECORDERS, file), join(folder, file));
}

/** As {@link run} without this environment, and where Linux allows it in a network namespace. */
export async function runIsolated(program: string, args: readonly string[], cwd: string): Promise<void> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: cwd };
  const namespace = ['--user', '--map-root-user', '--net', '--'];
  if (spawnSync('unshare', [...namespace, 'true']).status !== 0) return run(program, args, cwd, environment);
  return run('unshare', [...namespace, program, ...args], cwd, environment);
}

/** Runs a program; its errors are shown. @throws Error if it fails */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: environment });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`${program} ${args[0]} ended with ${exitCode}.`);
}
