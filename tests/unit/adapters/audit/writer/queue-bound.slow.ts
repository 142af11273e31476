import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import { createGate, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

describe('The bound of the audit queue', () => {
  const bench = useSinkBench(useTemporaryFolder());

  it('is a hundred batches of a thousand by default', async () => {
    await bench().open({ timeoutMs: 60_000 });
    const gate = createGate();
    bench().calls.fdatasync = async (fd) => {
      await gate.passed;
      return nodeFileOperations.fdatasync(fd);
    };
    const all = bench().append(100_001);
    gate.open();
    expect(await all).to.have.length(1);
    expect(readFileSync(bench().file, 'utf8').split('\n')).to.have.length(1 + 100_000 + 1);
  }).timeout(300_000);
});
