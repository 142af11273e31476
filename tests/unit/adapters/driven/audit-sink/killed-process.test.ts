import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { programAt } from '../../../../programs/program.ts';
import { useSinkBench } from './sink-bench.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const CHILD = programAt(new URL('append-until-killed.ts', import.meta.url));
const ENOUGH = 300;

/** Runs the child until it has acknowledged enough, kills it in the middle of its work, and returns every id it acknowledged. */
async function acknowledgedBeforeKill(file: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.split('\n').length > ENOUGH) child.kill('SIGKILL');
  });
  const [code, signal] = await once(child, 'close');
  expect({ code, signal }).to.deep.equal({ code: null, signal: 'SIGKILL' });
  return output.split('\n').slice(0, -1);
}

describe('A process killed while it appends', () => {
  const bench = useSinkBench(useTemporaryFolder());

  it('has every acknowledged record on disk, in order and whole, and the next one goes on behind them', async () => {
    const acknowledged = await acknowledgedBeforeKill(bench().file);
    expect(acknowledged.length).to.be.at.least(ENOUGH);
    bench().clock.set(Date.now());

    await bench().open();
    await bench().append(1, { correlationId: 'after-the-restart' });
    bench().acknowledged.splice(0);
    const { ids, files } = bench().verify();
    expect(ids).to.deep.equal([...ids.slice(0, -1).map((_, index) => `c-${index}`), 'after-the-restart']);
    expect(ids).to.include.members([...acknowledged]);
    expect(files.length).to.be.above(3);
    expect(files.at(-1)?.reason).to.equal('key');
  }).timeout(60_000);
});
