import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { AuditChain } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { projectUrl, readProjectFile } from '../../../../project-root.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';

const DOCS = projectUrl('docs/');
const EXAMPLE = readProjectFile('docs/examples/audit.jsonl');
const PUBLIC_KEY = Buffer.from('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', 'base64');
const lines = EXAMPLE.trimEnd().split('\n');

// Python may be missing.
const verifiers = [
  { name: 'verify-audit.py', command: 'python3' },
  { name: 'verify-audit.sh', command: 'sh' },
].filter(({ command }) => spawnSync(command, ['-c', '']).status === 0);

const hasBash = spawnSync('bash', ['-c', '']).status === 0;

for (const { name, command } of verifiers) {
  describe(`docs/examples/${name}`, () => {
    const script = fileURLToPath(new URL(`examples/${name}`, DOCS));
    const folder = useTemporaryFolder();

    /** Exit code and output for files with these texts. */
    const run = (texts: readonly string[], publicKey: Uint8Array = PUBLIC_KEY, program = command) => {
      const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]).toString('base64');
      const pem = `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`;
      const paths = [pem, ...texts].map((text, index) => folder.file(String(index), text));
      const { status, stdout, stderr } = spawnSync(program, [script, ...paths], { encoding: 'utf8' });
      return { status, said: (stdout + stderr).trimEnd() };
    };

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

    it('names the record at which a file was modified, cut, reordered, forged or unsigned', () => {
      const swapped = [lines[0], lines[1], lines[3], lines[2], ...lines.slice(4)];
      const chain = new AuditChain();
      chain.append();
      for (const [text, record] of [
        [EXAMPLE.replace('"mian"', '"main"'), 5],
        [EXAMPLE.replace('"outcome":"refused"', '"outcome": "refused"'), 5],
        [`${lines.toSpliced(2, 1).join('\n')}\n`, 4],
        [`${swapped.join('\n')}\n`, 4],
        [EXAMPLE.replace(/"sig":"[^"]*"\}\n$/, `"sig":"${'A'.repeat(86)}=="}\n`), lines.length],
      ] as const) {
        const { status, said: output } = run([text]);
        expect(status, output).to.equal(1);
        expect(output).to.match(new RegExp(`^record ${record} (is not signed with this key|does not follow)`));
      }
      expect(run([chain.text()], chain.publicKey)).to.deep.equal({
        status: 1,
        said: 'record 2 is the last, and not signed',
      });
      expect(run([chain.text()]).said).to.equal('record 1 is not signed with this key');
    });

    it('names file and line of invalid content, and never executes it', () => {
      const ran = folder.path('ran');
      const last = lines.at(-1) ?? '';
      const { prevHash, instanceId, ...others } = JSON.parse(last);
      const sixth = [JSON.stringify({ ...others, instanceId }), JSON.stringify({ ...others, prevHash })];
      const altered = [
        last.replace(/\}$/, ',"outcome":"refused"}'),
        `${last} `,
        `${last}\r`,
        last.replace('"sig":', '"sig": '),
        last.replace('=="}', '\\u003d="}'),
        last.replace(/[AQgw](?===)/, 'B'),
      ];
      const foreign = ['notes', '', '[1]', 'null', '{"v":2}', '['.repeat(30_000), `PATH[$(touch\${IFS}${ran})]`];
      for (const line of [...foreign, ...sixth, ...altered]) {
        const { status, said: output } = run([[lines[0], line, ''].join('\n')]);
        expect(status, line.slice(0, 200)).to.equal(1);
        expect(output).to.match(/^\S+, line 2, is no record$/);
      }
      // bash, `sh` on some systems, runs commands inside arithmetic.
      for (const program of [command, ...(command === 'sh' && hasBash ? ['bash'] : [])]) {
        expect(run([`${foreign.at(-1)}\n${lines[1]}\n`], PUBLIC_KEY, program).status).to.equal(1);
      }
      expect(existsSync(ran)).to.equal(false);
    });

    it('rejects a NUL, an incomplete line, an empty file and no file', () => {
      for (const texts of [
        [EXAMPLE.replace('"mian"', '"mi\0an"')],
        [`${EXAMPLE}\0`],
        [`${EXAMPLE}${'\0'.repeat(4096)}`],
        [EXAMPLE.slice(0, -1)],
        [EXAMPLE, ''],
        [],
      ]) {
        const { status, said: output } = run(texts);
        expect(status, JSON.stringify(texts).slice(-100)).to.equal(1);
        expect(output).not.to.equal('').and.not.to.include('Traceback');
      }
    });

    it('accepts a segment record only at the start of a file', () => {
      const chain = new AuditChain();
      chain.append();
      chain.sign();
      chain.beginSegment('size');
      chain.sign();
      const [first, second] = [chain.text(0), chain.text(1)];
      expect(run([first, second], chain.publicKey).status).to.equal(0);
      const [segment, ...others] = first.split(/(?<=\n)/);
      for (const texts of [[first + second], [others.join(''), second], [segment ?? '', others.join('') + second]]) {
        const { status, said: output } = run(texts, chain.publicKey);
        expect(status).to.equal(1);
        expect(output).to.include('files begin with a segment record, and have no other');
      }
    });
  });
}
