import { spawnSync } from 'node:child_process';

const IS_INSTALLED = spawnSync('promtool', ['--version']).error === undefined;
const HOW_TO_GET_IT = 'promtool is not on PATH: apt-get install prometheus';

/** A case that needs promtool; without it, says how to install it, and fails in CI (`CI=true`). */
export function itWithPromtool(title: string, run: () => void | Promise<void>): void {
  if (IS_INSTALLED) {
    it(title, run);
    return;
  }
  if (process.env['CI'] === 'true') {
    it(title, () => {
      throw new Error(HOW_TO_GET_IT);
    });
    return;
  }
  process.stderr.write(`Not run: ${title}. ${HOW_TO_GET_IT}\n`);
}

/** Runs promtool in a folder. @returns its output @throws Error with its output on failure */
export function promtool(folder: string, options: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', options, {
    cwd: folder,
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`promtool ${options.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout + stderr;
}
