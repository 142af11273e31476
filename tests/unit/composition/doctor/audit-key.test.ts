import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { createAuditKey } from '../../../../src/adapters/driven/audit-sink/audit-key/create-audit-key.ts';
import { checkAuditKey } from '../../../../src/composition/doctor/audit-key.ts';
import { useTemporaryFolder } from '../../secure-memory/temporary-folder.ts';

describe('checkAuditKey', () => {
  const folder = useTemporaryFolder();
  let file: string;

  beforeEach(() => {
    file = folder.path('audit.key');
  });

  it('is content with a key and its public half, and says for whom that is', () => {
    createAuditKey(file);
    expect(checkAuditKey(file)).to.deep.equal({
      check: 'audit-public-key',
      state: 'ok',
      message: `${file}.pub is the public half of the audit key: auditors need it`,
      remedy: null,
    });
  });

  it('is content without a public half, as beside a mounted secret, and says how to get it', () => {
    writeFileSync(file, 'x'.repeat(32), { mode: 0o600 });
    const { state, message } = checkAuditKey(file);
    expect(state).to.equal('ok');
    expect(message).to.include(`${file}.pub is not there`).and.include('signing-service init');
  });

  it('fails for the public half of another key', () => {
    createAuditKey(file);
    writeFileSync(file, 'x'.repeat(32), { mode: 0o600 });
    const { state, message } = checkAuditKey(file);
    expect(state).to.equal('fail');
    expect(message).to.include(`${file}.pub is not the public half of the audit key ${file}`);
  });

  it('fails for a file that holds no key, with nothing of its content', () => {
    for (const content of ['hunter2', 'hunter2'.repeat(10), '']) {
      writeFileSync(file, content, { mode: 0o600 });
      const { state, message } = checkAuditKey(file);
      expect(state, content).to.equal('fail');
      expect(message, content).to.include(file).and.include('SIGNING_AUDIT_KEY_FILE').and.not.include('hunter2');
    }
  });
});
