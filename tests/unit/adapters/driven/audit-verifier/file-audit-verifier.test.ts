import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { FileAuditVerifier } from '../../../../../src/adapters/driven/audit-verifier/file-audit-verifier.ts';
import { AuditInputError, type AuditVerification } from '../../../../../src/ports/audit-verifier.ts';
import { describeAuditVerifierContract } from '../../../../contracts/audit-verifier-contract.ts';
import { AuditChain } from '../../../../doubles/audit-chain.ts';

describeAuditVerifierContract('FileAuditVerifier', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-verifier-'));
  return {
    verifier: new FileAuditVerifier({ auditFile: () => join(folder, 'audit.jsonl'), patienceMs: 0 }),
    put: async (name, text) => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    textOf: (path) => readFile(path, 'utf8'),
    dispose: () => rm(folder, { recursive: true }),
  };
});

describe('FileAuditVerifier', () => {
  let folder: string;
  let chain: AuditChain;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-verifier-'));
    chain = new AuditChain();
    chain.append();
    chain.beginSegment('size');
    chain.append();
    chain.beginSegment('size');
    chain.append();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const place = (name: string) => join(folder, name);
  const verify = (options: Partial<AuditVerification>, patienceMs = 0) =>
    new FileAuditVerifier({ auditFile: () => place('audit.jsonl'), patienceMs }).verify({
      files: null,
      publicKeys: [],
      checkpoints: [],
      count: null,
      onProgress: null,
      ...options,
    });
  const rejection = (options: Partial<AuditVerification>): Promise<unknown> =>
    verify(options).then(
      () => null,
      (error: unknown) => error,
    );

  describe('without files', () => {
    it("reads the service's own file and those that were rotated out of it, and nothing else", async () => {
      const paths = chain.write(place('audit.jsonl'));
      for (const name of ['audit.jsonl.torn', 'audit.jsonl.lock', 'audit.jsonl.usage', 'audit.jsonl.2.gz'])
        writeFileSync(place(name), 'no record');
      const other = new AuditChain({ instanceId: 'other' });
      other.append();
      other.write(place('audit-other.jsonl'));
      mkdirSync(place('audit.folder'));
      const { fault, chains } = await verify({});
      expect(fault).to.equal(null);
      expect(chains.map(({ files }) => files.map(({ file }) => file))).to.deep.equal([paths]);
    });

    it('reads the files that another program renamed', async () => {
      const [first = '', second = ''] = chain.write(place('audit.jsonl'));
      renameSync(second, place('audit.jsonl.1'));
      renameSync(first, place('audit-20261120.jsonl'));
      const { fault, chains } = await verify({});
      expect(fault).to.equal(null);
      expect(chains[0]?.files.map(({ file }) => file)).to.deep.equal([
        place('audit-20261120.jsonl'),
        place('audit.jsonl.1'),
        place('audit.jsonl'),
      ]);
    });

    it('does not pass over a rotated file that was spoilt so that it seems to be none', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      for (const text of ['', 'something else\n', chain.text(0).slice(1)]) {
        writeFileSync(first, text);
        expect((await verify({})).fault?.file, text).to.equal(first);
      }
    });

    it('finds a rotated file that is missing', async () => {
      const [, second = ''] = chain.write(place('audit.jsonl'));
      rmSync(second);
      expect((await verify({})).fault).to.deep.include({ file: place('audit.jsonl'), line: 1 });
    });

    it('rejects where there is no audit file', async () => {
      expect(String(await rejection({}))).to.match(/AuditInputError: The audit file \S+audit\.jsonl is not there/);
      await rm(folder, { recursive: true });
      expect(String(await rejection({}))).to.match(/AuditInputError: The folder of the audit file \S+ is not there/);
      mkdirSync(folder);
    });
  });

  describe('while the service writes', () => {
    it('waits for the end of a line that is being written', async () => {
      const text = chain.text();
      const file = place('audit.jsonl');
      for (const at of [0, 10, text.indexOf('\n'), text.length - 300, text.length - 1]) {
        writeFileSync(file, text.slice(0, at));
        const verdict = verify({ files: [file] }, 5000);
        await setTimeout(100);
        appendFileSync(file, text.slice(at));
        appendFileSync(file, 'and the next line is not read');
        const { fault, chains } = await verdict;
        expect(fault, String(at)).to.equal(null);
        expect(chains[0]?.records).to.be.at.least(1);
      }
    });

    it('reads no further than the file reached when it was opened', async () => {
      const [first = ''] = chain.write(place('audit.jsonl'));
      const { bytes, fault } = await verify({
        files: [first],
        onProgress: () => appendFileSync(first, 'no record\n'),
      });
      expect(fault).to.equal(null);
      expect(bytes).to.equal(chain.text(0).length);
    });

    it('does not take a file for whole that became shorter meanwhile', async () => {
      const paths = chain.write(place('audit.jsonl'));
      const error = await rejection({ files: paths, onProgress: () => truncateSync(paths[2] ?? '', 700) });
      expect(error).to.be.instanceOf(AuditInputError);
      expect(String(error)).to.match(/became shorter while it was read/);
    });
  });

  it('rejects what is no regular file, at once', async () => {
    execFileSync('mkfifo', [place('pipe')]);
    for (const [path, message] of [
      [folder, /is a folder; name the files in it/],
      [place('pipe'), /is no regular file/],
      ['/dev/null', /is no regular file/],
    ] as const) {
      expect(String(await rejection({ files: [path] }))).to.match(message);
    }
    expect(String(await rejection({ publicKeys: [place('pipe')] }))).to.match(/The public key \S+ is no regular file/);
    expect(String(await rejection({ checkpoints: [folder] }))).to.match(/The checkpoint file \S+ is no regular file/);
  });

  it('shows no character of a path that could steer a terminal', async () => {
    const file = place('a\u001b[2J\n\u202e.jsonl');
    writeFileSync(file, 'no record\n');
    const { fault } = await verify({ files: [file] });
    expect(fault?.file).to.match(/a\\u\{1b\}\[2J\\u\{a\}\\u\{202e\}\.jsonl$/);
    expect(String(await rejection({ files: [`${file}\u009b`] }))).to.match(/\\u\{9b\} is not there/);
  });

  it('takes no private key for a public one', async () => {
    const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']).toString();
    writeFileSync(place('key'), pem);
    writeFileSync(place('other.pub'), execFileSync('openssl', ['genpkey', '-algorithm', 'x25519']).toString());
    chain.write(place('audit.jsonl'));
    for (const key of [place('key'), place('other.pub')]) {
      const error = String(await rejection({ publicKeys: [key] }));
      expect(error).to.match(/is no Ed25519 public key: name the file that `init` wrote/);
      expect(error).to.not.include(pem.split('\n')[1]);
    }
  });

  it('takes the same memory whatever the files hold', async function () {
    this.timeout(60_000);
    const file = place('long.jsonl');
    writeFileSync(file, chain.text(0));
    for (let count = 0; count < 8; count += 1) appendFileSync(file, 'x'.repeat(8_000_000));
    const before = process.memoryUsage.rss();
    let peak = before;
    const { fault } = await verify({
      files: [file],
      onProgress: () => (peak = Math.max(peak, process.memoryUsage.rss())),
    });
    peak = Math.max(peak, process.memoryUsage.rss());
    expect(fault).to.deep.include({ file, line: 3 });
    expect(peak - before).to.be.below(40_000_000);
  });
});
