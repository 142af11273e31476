import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../src/audit-trail/audit-record.ts';
import { ChainVerifier } from '../../../src/audit-trail/chain-verifier.ts';
import { readRecord } from '../../../src/audit-trail/read-record.ts';
import { SAMPLE_RELOAD_RESULT } from '../../doubles/sample-reload-result.ts';

const DOCUMENT = readFileSync(new URL('../../../docs/AUDIT_FORMAT.md', import.meta.url), 'utf8');
const EXAMPLE = readFileSync(new URL('../../../docs/examples/audit.jsonl', import.meta.url), 'utf8');
const PUBLIC_KEY = Buffer.from('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', 'base64');

const lines = EXAMPLE.trimEnd().split('\n');

describe('The example of docs/AUDIT_FORMAT.md', () => {
  it('is the file beside it', () => {
    expect(DOCUMENT).to.include(`\`\`\`jsonl\n${EXAMPLE}\`\`\`\n`);
  });

  it('has in every line the hash of RFC 8785 that the document describes, and that of the line before', () => {
    let previous: string | null = null;
    for (const line of lines) {
      const { hash, ...record } = JSON.parse(line);
      const digest = createHash('sha256').update(canonicalize(record) ?? '');
      expect(hash).to.equal(`sha256:${digest.digest('hex')}`);
      expect(record.prevHash).to.equal(previous);
      previous = hash;
    }
  });

  it('ends with the checkpoint that the document shows, signed with the key that it shows', () => {
    const { note } = JSON.parse(lines.at(-1) ?? '').data;
    expect(DOCUMENT)
      .to.include(`\n\`\`\`\n${note}\`\`\`\n`)
      .and.to.include(`\n${PUBLIC_KEY.toString('base64')}\n`);
    const [text = '', signatureLine = ''] = note.split('\n\n');
    const signature = Buffer.from(signatureLine.trim().split(' ')[2] ?? '', 'base64').subarray(4);
    const x = PUBLIC_KEY.toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${text}\n`), key, signature)).to.equal(true);
  });

  it('is what the service accepts', () => {
    const verifier = new ChainVerifier({ head: EMPTY_CHAIN, trustedKeys: [PUBLIC_KEY] });
    for (const [index, line] of lines.entries()) {
      const record = readRecord(line);
      expect('fault' in record ? record.fault : verifier.accept(record, index === 0)).to.equal(null);
    }
    expect(verifier.verified).to.deep.include({ covered: 11, checkpoints: 6 });
  });

  it('shows every fact that a reload records', () => {
    const { data } = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'reload');
    expect(data).to.have.all.keys('trigger', ...Object.keys(SAMPLE_RELOAD_RESULT));
    expect(data.accounts).to.have.all.keys(Object.keys(SAMPLE_RELOAD_RESULT.accounts));
    expect(data.platforms).to.have.all.keys(Object.keys(SAMPLE_RELOAD_RESULT.platforms));
  });

  it('has the fields of the table, in its order', () => {
    const table = DOCUMENT.slice(DOCUMENT.indexOf('## Fields'), DOCUMENT.indexOf('To check a `hash`'));
    const named = [...table.matchAll(/^\| (`.*?`) \| [a-z]/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(named).to.include('traceparent');
    // In none of the example's records, since none of its callers sent one.
    const expected = named.filter((name) => name !== 'traceparent');
    expect(expected).to.deep.equal(Object.keys(JSON.parse(lines[0] ?? '')));
  });
});
