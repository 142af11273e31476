import { spawnSync } from 'node:child_process';

/**
 * Skips tests if a tool is missing, with a message on standard error.
 * @param version argument that prints the tool's version
 */
export function withTool(tool: string, version: string, define: () => void): void {
  if (spawnSync(tool, [version]).status === 0) define();
  else process.stderr.write(`Not run: the documented program for ${tool}, which is not on PATH.\n`);
}
