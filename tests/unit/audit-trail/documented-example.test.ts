import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../src/audit-trail/audit-record.ts';
import { ChainVerifier } from '../../../src/audit-trail/chain-verifier.ts';
import { readRecord } from '../../../src/audit-trail/read-record.ts';
import { AuditChain } from '../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';
import { SAMPLE_RELOAD_RESULT } from '../../doubles/sample-reload-result.ts';

const DOCS = new URL('../../../docs/', import.meta.url);
const DOCUMENT = readFileSync(new URL('AUDIT_FORMAT.md', DOCS), 'utf8');
const EXAMPLE = readFileSync(new URL('examples/audit.jsonl', DOCS), 'utf8');
const PUBLIC_KEY = Buffer.from('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', 'base64');
const lines = EXAMPLE.trimEnd().split('\n');

describe('The example of docs/AUDIT_FORMAT.md', () => {
  it('is a line of the file beside it', () => {
    expect(DOCUMENT).to.include(`\`\`\`jsonl\n${lines[3]}\n\`\`\`\n`);
  });

  it('is what the service accepts', () => {
    const verifier = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: [PUBLIC_KEY] });
    for (const [index, line] of lines.entries()) {
      const record = readRecord(line);
      expect('fault' in record ? record.fault : verifier.accept(record, index === 0)).to.equal(null);
    }
    expect(verifier.verified).to.deep.include({ covered: 6, signatures: 6 });
  });

  it('shows every fact that a reload records', () => {
    const { data } = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'reload');
    expect(data).to.have.all.keys('trigger', ...Object.keys(SAMPLE_RELOAD_RESULT));
    expect(data.accounts).to.have.all.keys(Object.keys(SAMPLE_RELOAD_RESULT.accounts));
    expect(data.platforms).to.have.all.keys(Object.keys(SAMPLE_RELOAD_RESULT.platforms));
  });

  it('has the fields of the table, in its order', () => {
    const table = DOCUMENT.slice(DOCUMENT.indexOf('## Fields'), DOCUMENT.indexOf('Digests are'));
    const named = [...table.matchAll(/^\| (`.*?`) \| [a-z0-9]/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(named).to.deep.equal(Object.keys(JSON.parse(lines[0] ?? '')));
  });
});

// Where a machine has no Python, there is nothing to run.
const verifiers = [
  { name: 'verify-audit.py', command: 'python3' },
  { name: 'verify-audit.sh', command: 'sh' },
].filter(({ command }) => spawnSync(command, ['-c', '']).status === 0);

for (const { name, command } of verifiers) {
  describe(`docs/examples/${name}`, () => {
    const script = fileURLToPath(new URL(`examples/${name}`, DOCS));
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'verify-audit-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** Its exit code, and what it says of files with these texts. */
    const run = (texts: readonly string[], publicKey: Uint8Array = PUBLIC_KEY) => {
      const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]).toString('base64');
      const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
      const paths = [pem, ...texts].map((text, index) => {
        const path = join(folder, String(index));
        writeFileSync(path, text);
        return path;
      });
      const { status, stdout, stderr } = spawnSync(command, [script, ...paths], { encoding: 'utf8' });
      return { status, said: (stdout + stderr).trimEnd() };
    };

    it('stands on the page', () => {
      expect(DOCUMENT).to.include(`\n${readFileSync(script, 'utf8')}\`\`\`\n`);
    });

    it('accepts the example, and files of one chain with hostile texts', () => {
      expect(run([EXAMPLE])).to.deep.equal({ status: 0, said: '' });
      const chain = new AuditChain();
      const hostile = '","prevHash":null,"sig":"AA=="}\\n\n\u2028\u0000é😀';
      chain.append(sampleAuditEntry({ principal: hostile, data: { [hostile]: hostile, prevHash: 'x', sig: 'y' } }));
      chain.append();
      chain.sign();
      chain.beginSegment('size');
      chain.append(sampleAuditEntry({ data: { instanceId: 'other', prevHash: 'sha256:00' } }));
      chain.sign();
      expect(run([chain.text(0), chain.text(1)], chain.publicKey)).to.deep.equal({ status: 0, said: '' });
    });

    it('names the record where a file was altered, cut, reordered, forged or not signed', () => {
      const swapped = [lines[0], lines[1], lines[3], lines[2], ...lines.slice(4)];
      const chain = new AuditChain();
      chain.append();
      for (const [text, record] of [
        [EXAMPLE.replace('"mian"', '"main"'), 5],
        [EXAMPLE.replace('"outcome":"refused"', '"outcome": "refused"'), 5],
        [lines.toSpliced(2, 1).join('\n'), 4],
        [swapped.join('\n'), 4],
        [EXAMPLE.replace(/"sig":"[^"]*"\}\n$/, `"sig":"${'A'.repeat(86)}=="}\n`), 6],
      ] as const) {
        const { status, said } = run([text]);
        expect(status, said).to.equal(1);
        expect(said).to.match(new RegExp(`^record ${record} (is not signed with this key|does not follow)`));
      }
      expect(run([chain.text()], chain.publicKey)).to.deep.equal({
        status: 1,
        said: 'record 2 is the last, and not signed',
      });
      expect(run([chain.text()]).said).to.equal('record 1 is not signed with this key');
    });

    if (name === 'verify-audit.py') {
      it('names file and line of what is no record, without a traceback', () => {
        const { prevHash, instanceId, ...others } = JSON.parse(lines[5] ?? '');
        const sixth = [JSON.stringify({ ...others, instanceId }), JSON.stringify({ ...others, prevHash })];
        for (const line of ['notes', '', '[1]', 'null', '{"v":2}', '['.repeat(30_000), ...sixth]) {
          const { status, said } = run([[...lines.slice(0, 5), line, ''].join('\n')]);
          expect(status).to.equal(1);
          expect(said).to.match(/^\S+, line 6, is no record$/);
        }
      });
    }
  });
}
