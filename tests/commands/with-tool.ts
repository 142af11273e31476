import { spawnSync } from 'node:child_process';

/**
 * Defines tests that need a tool which not every machine has; without it they are left out, and
 * standard error says so.
 * @param version the argument by which the tool prints its version
 */
export function withTool(tool: string, version: string, define: () => void): void {
  if (spawnSync(tool, [version]).status === 0) define();
  else process.stderr.write(`Not run: the program of the README for ${tool}, which is not on PATH.\n`);
}
