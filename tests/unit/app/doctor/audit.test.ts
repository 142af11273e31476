import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { createAuditKey } from '../../../../src/adapters/audit/audit-key.ts';
import { segmentPath } from '../../../../src/adapters/audit/segments/segment-names.ts';
import { AuditChain } from '../../../doubles/audit-chain.ts';
import { useConfiguration } from './use-configuration.ts';

const CHAIN = new AuditChain();
CHAIN.sign();
const BEGINNING = CHAIN.text();
CHAIN.append();
CHAIN.append();
CHAIN.sign();
const RECORDS = CHAIN.text();
const HEAD = CHAIN.head;
CHAIN.append();
CHAIN.append();
const LATER = `${CHAIN.lines.at(-1)}\n`;
/** Another character in the last signature. */
const FORGED = `${RECORDS.slice(0, -20)}${RECORDS.at(-20) === 'g' ? 'h' : 'g'}${RECORDS.slice(-19)}`;

describe('doctor, of the audit file', () => {
  const { path, find } = useConfiguration();
  let file: string;
  let segment: string;

  beforeEach(() => {
    mkdirSync(path('audit'));
    file = path('audit/audit.jsonl');
    segment = segmentPath(file, 1);
  });

  /** State by check. */
  const states = async () => {
    const checks = ['audit-file', 'audit-file-end', 'audit-file-name'];
    const found = await Promise.all(checks.map((check) => find(check)));
    return found.flat().map(({ check, state }) => `${check} ${state}`);
  };

  /** Writes the first segment, with its second name. */
  function write(content: string): void {
    writeFileSync(segment, content, { mode: 0o600 });
    rmSync(file, { force: true });
    linkSync(segment, file);
  }

  it('accepts a missing file, an empty one, and one with records', async () => {
    expect(await states()).to.deep.equal(['audit-file ok']);
    expect((await find('audit-file'))[0]?.message).to.include(`${file} does not exist yet`);
    for (const content of ['', BEGINNING, RECORDS]) {
      write(content);
      expect(await states()).to.deep.equal(['audit-file ok']);
      expect((await find('audit-file'))[0]?.message).to.include(segment);
    }
  });

  for (const [name, content] of [
    ['was altered near its end', FORGED],
    ['lacks a record', RECORDS + LATER],
  ] as const) {
    it(`fails for a file that ${name}, as the service does, without showing or changing it`, async () => {
      write(content);
      const finding = (await find('audit-file')).at(-1);
      expect(finding?.state).to.equal('fail');
      expect(finding?.message).to.include(segment).and.include('signing-service audit verify');
      expect(finding?.message.toLowerCase()).to.not.match(/\bnotes?\b/);
      expect(readFileSync(segment, 'utf8')).to.equal(content);
      expect(readdirSync(path('audit'))).to.deep.equal([basename(segment), 'audit.jsonl']);
    });
  }

  it('reports how a truncated last line is handled, and leaves it in place', async () => {
    for (const torn of [
      `${RECORDS}{"v":2,"seq":9,"time":"2026`,
      '{"v":2,"seq":1,"ti',
      `${RECORDS}${'\0'.repeat(100)}`,
    ]) {
      write(torn);
      expect(await states()).to.deep.equal(['audit-file ok', 'audit-file-end ok']);
      expect((await find('audit-file-end'))[0]?.message).to.include(`${file}.torn`);
      expect(readFileSync(segment, 'utf8')).to.equal(torn);
      expect(readdirSync(path('audit'))).to.deep.equal([basename(segment), 'audit.jsonl']);
    }
  });

  it('fails for a pipe, without waiting', async () => {
    execFileSync('mkfifo', [segment]);
    expect(await states()).to.deep.equal(['audit-file fail']);
  });

  it('warns about a name that does not lead to the newest file, and fails for one of another file', async () => {
    write(RECORDS);
    const chain = new AuditChain({ head: HEAD, reason: 'size' });
    rmSync(file);
    expect(await states()).to.deep.equal(['audit-file ok', 'audit-file-name warning']);
    linkSync(segment, file);
    expect(await states()).to.deep.equal(['audit-file ok']);
    const next = segmentPath(file, HEAD.seq + 1);
    // A start begins an empty one again.
    writeFileSync(next, '', { mode: 0o600 });
    expect(await states()).to.deep.equal(['audit-file ok']);
    writeFileSync(next, chain.text());
    expect((await find('audit-file-name'))[0]?.message).to.include(
      `${file} does not lead to the newest audit file ${next}`,
    );
    rmSync(file);
    writeFileSync(file, RECORDS);
    expect(await states()).to.include('audit-file fail');
  });

  it('accepts a group-readable file, but warns about a world-readable one', async () => {
    write(RECORDS);
    chmodSync(segment, 0o640);
    expect(await states()).to.deep.equal(['audit-file ok']);
    chmodSync(segment, 0o644);
    expect(await states()).to.deep.equal(['audit-file warning']);
  });
});

describe('doctor, of the audit key', () => {
  const { path, write, find } = useConfiguration();
  const findKey = async () => (await find('audit-public-key'))[0] ?? expect.fail();

  it('passes without a public half, as with a mounted secret, and explains how to get it', async () => {
    const { state, message } = await findKey();
    expect(state).to.equal('ok');
    expect(message)
      .to.include(`${path('secrets/audit.key.pub')} does not exist`)
      .and.include('signing-service init');
  });

  it('fails for the public half of another key', async () => {
    rmSync(path('secrets/audit.key'));
    createAuditKey(path('secrets/audit.key'));
    write('secrets/audit.key', 'x'.repeat(32));
    const { state, message } = await findKey();
    expect(state).to.equal('fail');
    expect(message).to.include(`${path('secrets/audit.key.pub')} is not the public half of the audit key`);
  });

  it('fails for a file that holds no key, without showing its content', async () => {
    for (const content of ['hunter2', 'hunter2'.repeat(10), '']) {
      write('secrets/audit.key', content);
      const { state, message } = await findKey();
      expect(state, content).to.equal('fail');
      expect(message).to.include(path('secrets/audit.key')).and.include('SIGNING_AUDIT_KEY_FILE');
      expect(message).to.not.include('hunter2');
    }
  });
});
