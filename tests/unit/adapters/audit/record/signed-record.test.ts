import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { expect } from 'chai';
import { chainEntry, isSignedBy, signRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { toPublicKeyObject } from '../../../../../src/adapters/node/ed25519-public-key.ts';
import { createAuditKey } from '../../../../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const HEAD = { seq: 41, hash: `sha256:${'5c'.repeat(32)}` };

describe('a signed record', () => {
  const key = createAuditKey();
  const unsigned = chainEntry(sampleAuditEntry(), HEAD);
  const signed = signRecord(unsigned, key);
  const keyObject = toPublicKeyObject(key.publicKey) as KeyObject;

  it('is the unsigned line with one more member', () => {
    expect(signed.line).to.equal(`${unsigned.line.slice(0, -1)},"sig":"${signed.checkpoint?.sig}"}`);
    expect(unsigned.checkpoint).to.equal(null);
  });

  it('sets the head to the hash of the whole line', () => {
    const getHash = (line: string) => `sha256:${createHash('sha256').update(line).digest('hex')}`;
    expect(unsigned.head).to.deep.equal({ seq: 42, hash: getHash(unsigned.line) });
    expect(signed.head).to.deep.equal({ seq: 42, hash: getHash(signed.line) });
  });

  it('can be verified as docs/auditors/audit-format.md describes: Ed25519 over domain, instance, number and hash', () => {
    const line = signed.line;
    const upToSignature = line.slice(0, line.lastIndexOf(',"sig":'));
    const hash = createHash('sha256').update(upToSignature).digest('hex');
    const text = `signing-service audit record v2\ninstance-1\n42\nsha256:${hash}\n`;
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.publicKey]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const sig = Buffer.from(JSON.parse(line).sig, 'base64');
    expect(sig).to.have.lengthOf(64);
    expect(verify(null, Buffer.from(text), publicKey, sig)).to.equal(true);
  });

  it('fails verification with another key or a modified checkpoint', () => {
    const { checkpoint } = signed;
    if (checkpoint === null) throw new Error('not signed');
    expect(isSignedBy(checkpoint, keyObject)).to.equal(true);
    expect(isSignedBy(checkpoint, toPublicKeyObject(createAuditKey().publicKey) as KeyObject)).to.equal(false);
    for (const altered of [{ seq: 43 }, { instanceId: 'instance-2' }, { hash: HEAD.hash }]) {
      expect(isSignedBy({ ...checkpoint, ...altered }, keyObject)).to.equal(false);
    }
    const sig = Buffer.from(checkpoint.sig, 'base64');
    for (let bit = 0; bit < sig.length * 8; bit += 7) {
      const flipped = Buffer.from(sig);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(isSignedBy({ ...checkpoint, sig: flipped.toString('base64') }, keyObject), `bit ${bit}`).to.equal(false);
    }
  });
});
