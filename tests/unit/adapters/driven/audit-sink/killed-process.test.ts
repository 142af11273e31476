import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { WinstonAuditSink } from '../../../../../src/adapters/driven/audit-sink/winston-audit-sink.ts';
import type { AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const CHILD = fileURLToPath(new URL('append-until-killed.ts', import.meta.url));
const ENOUGH = 300;

/** Runs the child until it has acknowledged enough, kills it in the middle of its work, and returns every id it acknowledged. */
async function acknowledgedBeforeKill(file: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (output.split('\n').length > ENOUGH) child.kill('SIGKILL');
  });
  const [code, signal] = await once(child, 'close');
  expect({ code, signal }).to.deep.equal({ code: null, signal: 'SIGKILL' });
  return output.split('\n').slice(0, -1);
}

function idsIn(file: string): readonly (string | null)[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as AuditEntry).correlationId);
}

describe('A process killed while it appends', () => {
  const folder = useTemporaryFolder();

  it('has every acknowledged record on disk, in order and whole, and the next one goes on behind them', async () => {
    const file = join(folder(), 'audit.jsonl');
    const acknowledged = await acknowledgedBeforeKill(file);
    expect(acknowledged.length).to.be.at.least(ENOUGH);
    const recorded = idsIn(file);
    expect(recorded).to.deep.equal(recorded.map((_, index) => `c-${index}`));
    expect(recorded).to.include.members([...acknowledged]);

    const sink = await WinstonAuditSink.open({ file, log: new RecordingServiceLog() });
    await sink.append(sampleAuditEntry({ correlationId: 'after the restart' }));
    await sink.close();
    expect(idsIn(file)).to.deep.equal([...recorded, 'after the restart']);
  }).timeout(60_000);
});
