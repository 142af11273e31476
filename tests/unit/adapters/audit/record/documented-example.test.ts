import { expect } from 'chai';
import { ChainVerifier } from '../../../../../src/adapters/audit/record/chain-verifier.ts';
import { readRecord } from '../../../../../src/adapters/audit/record/read-record.ts';
import { readProjectFile } from '../../../../project-root.ts';

const DOCUMENT = readProjectFile('docs/auditors/audit-format.md');
const EXAMPLE = readProjectFile('docs/examples/audit.jsonl');
const PUBLIC_KEY = Buffer.from('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', 'base64');
const lines = EXAMPLE.trimEnd().split('\n');

describe('The example of docs/auditors/audit-format.md', () => {
  it('matches the example file', () => {
    expect(DOCUMENT).to.include(`\`\`\`jsonl\n${lines[3]}\n\`\`\`\n`);
  });

  it('is accepted by the service', () => {
    const verifier = new ChainVerifier([PUBLIC_KEY]);
    for (const [index, line] of lines.entries()) {
      const record = readRecord(line);
      expect('issue' in record ? record.issue : verifier.accept(record, index === 0)).to.equal(null);
    }
    expect(verifier).to.include({ unsigned: 0, signatures: lines.length });
    expect(verifier.last.seq).to.equal(lines.length);
  });
});
