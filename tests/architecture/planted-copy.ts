import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the real tree. */
export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));

const COPIED = [
  'src',
  'config/typescript',
  'biome.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.core.json',
  '.gitignore',
];

/** A diagnostic of a tool. */
export interface Complaint {
  /** From the copy's root, with `/`. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** Biome's rule, or the compiler's `TS` number. */
  readonly rule: string;
  readonly message: string;
}

/** All diagnostics of a tool. */
export interface Verdict {
  readonly exitCode: number;
  readonly complaints: readonly Complaint[];
}

/** A temporary copy of source and tool configuration with planted files, to try the walls. */
export class PlantedCopy {
  /** Its folder. */
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Copies the tree and writes `plants`, texts by path. */
  static async make(plants: ReadonlyMap<string, string>): Promise<PlantedCopy> {
    const root = await mkdtemp(join(tmpdir(), 'planted-copy-'));
    for (const path of COPIED) await cp(join(PROJECT_ROOT, path), join(root, path), { recursive: true });
    await symlink(join(PROJECT_ROOT, 'node_modules'), join(root, 'node_modules'), 'dir');
    for (const [path, text] of plants) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return new PlantedCopy(root);
  }

  /** As `npm run lint`. */
  async lint(): Promise<Verdict> {
    // Biome is the first of its programs.
    const script = await this.#script('lint');
    const [tool, ...options] = script.slice(0, script.indexOf('&&'));
    if (tool !== 'biome') throw new Error('npm run lint is expected to be one call of biome.');
    const run = await this.#run('biome', [...options, '--reporter=json', '--max-diagnostics=none']);
    const report: BiomeReport = JSON.parse(run.stdout);
    const complaints = report.diagnostics.map(({ category, message, location }) => ({
      file: location.path,
      line: location.start.line,
      rule: category,
      message,
    }));
    return { exitCode: run.exitCode, complaints };
  }

  /** Compiles with a configuration that `npm run typecheck` names. */
  async compile(project: string): Promise<Verdict> {
    const script = (await this.#script('typecheck')).join(' ');
    if (!script.includes(`tsc -p ${project}`)) throw new Error(`npm run typecheck does not compile ${project}.`);
    const run = await this.#run('tsc', ['-p', project, '--pretty', 'false']);
    const lines = run.stdout.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/gm);
    const complaints = [...lines].map(([, file = '', line = '', rule = '', message = '']) => ({
      file,
      line: Number(line),
      rule,
      message,
    }));
    return { exitCode: run.exitCode, complaints };
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  async #script(name: string): Promise<readonly string[]> {
    const manifest = JSON.parse(await readFile(join(this.root, 'package.json'), 'utf8'));
    return String(manifest.scripts[name]).split(' ');
  }

  #run(tool: string, options: readonly string[]): Promise<{ readonly exitCode: number; readonly stdout: string }> {
    const program = join(this.root, 'node_modules', '.bin', tool);
    return new Promise((resolve, reject) => {
      const settings = { cwd: this.root, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [program, ...options], settings, (error, stdout, stderr) => {
        if (error === null) return resolve({ exitCode: 0, stdout });
        if (typeof error.code === 'number' && stdout !== '') return resolve({ exitCode: error.code, stdout });
        reject(new Error(`${tool} did not run: ${stderr}`, { cause: error }));
      });
    });
  }
}

interface BiomeReport {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly message: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
}
