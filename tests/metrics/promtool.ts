import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

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
export async function promtool(folder: string, options: readonly string[], input = ''): Promise<string> {
  const child = spawn('promtool', options, { cwd: folder });
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`promtool ${options.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout + stderr;
}
