import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { installedProgram } from '../run/programs.ts';
import type { ImageConfig } from './stage-root.ts';

/** Device files that docker creates. */
const DEVICES: { readonly [name: string]: readonly [number, number] } = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
};

/**
 * The Dockerfile's `docker run` without Docker: read-only root, volumes, no capabilities, no new
 * privileges, limits, the image's user.
 */
export class Container {
  readonly #root: string;
  readonly #config: ImageConfig;
  readonly #environment: { readonly [name: string]: string };

  /**
   * @param root the image's file system
   * @param volumes an empty folder for the volumes
   * @param environment as `--env`
   */
  constructor(
    root: string,
    config: ImageConfig,
    { volumes, environment }: { readonly volumes: string; readonly environment: { readonly [name: string]: string } },
  ) {
    this.#root = root;
    this.#config = config;
    this.#environment = { ...config.environment, ...environment };
    this.#mountSystem();
    this.#mountVolumes(volumes);
    remountReadOnly(root);
  }

  #mountSystem(): void {
    execFileSync('mount', ['--bind', this.#root, this.#root]);
    for (const name of ['proc', 'dev']) mkdirSync(join(this.#root, name));
    execFileSync('mount', ['-t', 'proc', 'proc', join(this.#root, 'proc')]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', join(this.#root, 'dev')]);
    for (const [name, [major, minor]] of Object.entries(DEVICES)) {
      execFileSync('mknod', ['-m', '666', join(this.#root, 'dev', name), 'c', String(major), String(minor)]);
    }
  }

  #mountVolumes(folder: string): void {
    for (const [index, volume] of this.#config.volumes.entries()) {
      const source = join(folder, String(index));
      mkdirSync(source);
      const [uid = 0, gid = 0] = this.#config.user.split(':').map(Number);
      chownSync(source, uid, gid);
      chmodSync(source, 0o700);
      execFileSync('mount', ['--bind', source, join(this.#root, volume)]);
    }
  }

  /** As `--volume …:ro`. */
  makeReadOnly(volume: string): void {
    remountReadOnly(join(this.#root, volume));
  }

  /** As `docker run IMAGE COMMAND`, or `docker exec CONTAINER COMMAND` while it runs. */
  run(command: readonly string[]): SpawnSyncReturns<string> {
    const [program, ...args] = this.#confined(command);
    return spawnSync(program, args, { env: this.#environment, encoding: 'utf8', timeout: 30_000 });
  }

  /** As `docker run IMAGE`. */
  start(command: readonly string[] = this.#config.command): ChildProcess {
    const [program, ...args] = this.#confined(command);
    return spawn(program, args, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /**
   * Allows only as much locked memory as the service needs: an unprivileged root may not raise the
   * limit. The remaining capabilities serve to change the user, which drops them.
   */
  #confined(command: readonly string[]): readonly [string, ...string[]] {
    const [uid = '0', gid = '0'] = this.#config.user.split(':');
    const kept = '-all,+sys_chroot,+setuid,+setgid';
    return [
      installedProgram('prlimit') ?? 'prlimit',
      ...['--memlock=65536:65536', '--core=0:0', installedProgram('setpriv') ?? 'setpriv'],
      ...['--no-new-privs', `--bounding-set=${kept}`, '--inh-caps=-all', installedProgram('unshare') ?? 'unshare'],
      ...[`--root=${this.#root}`, `--wd=${this.#config.workdir}`, `--setgid=${gid}`, `--setuid=${uid}`],
      ...command,
    ];
  }
}

function remountReadOnly(folder: string): void {
  execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
}
