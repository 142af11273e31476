import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useWorkplace } from '../harness/use-workplace.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const CLI = join(PROJECT_ROOT, 'dist/cli.js');

describe('A command whose output pipe is closed early', () => {
  const place = useWorkplace();

  function shell(command: string) {
    const env = { ...process.env, ...place.environment, NODE: process.execPath, CLI };
    return spawnSync('sh', ['-c', command], { cwd: place.folder, env, encoding: 'utf8', timeout: 15_000 });
  }

  it('exits silently', () => {
    const { stdout, stderr } = shell('{ "$NODE" "$CLI" platform presets --json; echo "code $?" >&2; } | head -n 1');
    expect(stderr).to.equal('code 0\n');
    expect(stdout).to.equal('{\n');
  });

  it('still does its work', () => {
    const command = 'platform add --platform alpha --format A';
    const { stderr } = shell(`{ sleep 0.1; "$NODE" "$CLI" ${command}; echo "code $?" >&2; } | true`);
    expect(stderr).to.equal('code 0\n');
    expect(readFileSync(place.path('credentials.json'), 'utf8')).to.include('"alpha"');
  });

  it('reports output that cannot be written, and exits with 2', () => {
    const { stderr } = shell('"$NODE" "$CLI" platform presets --json > /dev/full; echo "code $?" >&2');
    expect(stderr).to.equal(
      'error: cannot write to standard output (ENOSPC). Changes that the command made took effect: check before you run it again.\ncode 2\n',
    );
  });
});
