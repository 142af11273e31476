import { spawnSync } from 'node:child_process';

const HOW_TO_GET_IT = 'redis-server is not on PATH: apt-get install redis-server (or valkey, linked under that name)';

/**
 * A suite that needs redis-server; without it, says how to install it, and fails in CI (`CI=true`).
 */
export function describeWithRedis(title: string, define: () => void): void {
  if (spawnSync('redis-server', ['--version']).error === undefined) {
    describe(title, define);
    return;
  }
  if (process.env['CI'] === 'true') {
    describe(title, () => {
      it('finds redis-server', () => {
        throw new Error(HOW_TO_GET_IT);
      });
    });
    return;
  }
  process.stderr.write(`Not run: ${title}. ${HOW_TO_GET_IT}\n`);
}
