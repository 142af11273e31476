import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import {
  isSignedBy,
  readCheckpoint,
  type SignedCheckpoint,
  signCheckpoint,
} from '../../../src/audit-trail/checkpoint-note.ts';
import { createCheckpointKey } from '../../doubles/audit-chain.ts';

const DIGEST = '3b4876df'.repeat(8);
const CHECKPOINT = { instanceId: 'signer-1', seq: 1000, hash: `sha256:${DIGEST}`, time: '2026-11-20T08:49:00.123Z' };

describe('a checkpoint', () => {
  const key = createCheckpointKey();
  const note = signCheckpoint(CHECKPOINT, key);
  const read = (text: string) => readCheckpoint(text) as SignedCheckpoint;

  it('is a signed note in the layout of a transparency log: origin, number, hash, time; an empty line; the signature', () => {
    const lines = note.split('\n');
    expect(lines.slice(0, 5)).to.deep.equal([
      'signing-service-audit/signer-1',
      '1000',
      Buffer.from(DIGEST, 'hex').toString('base64'),
      '2026-11-20T08:49:00.123Z',
      '',
    ]);
    expect(lines[5]).to.match(/^\u2014 signing-service-audit\/signer-1 [A-Za-z0-9+/]{91}=$/);
    expect(lines.slice(6)).to.deep.equal(['']);
  });

  it('is verified by hand as c2sp.org/signed-note says: key id, then Ed25519 over the text with its last newline', () => {
    const end = note.indexOf('\n\n') + 1;
    const [, name = '', base64 = ''] = note
      .slice(end + 1)
      .trimEnd()
      .split(' ');
    const signed = Buffer.from(base64, 'base64');
    expect(signed).to.have.lengthOf(4 + 64);
    const keyId = createHash('sha256')
      .update(`${name}\n`)
      .update(Buffer.from([1]))
      .update(key.publicKey)
      .digest()
      .subarray(0, 4);
    expect(signed.subarray(0, 4)).to.deep.equal(keyId);
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.publicKey]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from(note.slice(0, end)), publicKey, signed.subarray(4))).to.equal(true);
  });

  it('is read as it was signed', () => {
    expect(read(note)).to.deep.include(CHECKPOINT);
    expect(isSignedBy(read(note), key.publicKey)).to.equal(true);
  });

  it('names an instance whose id has a plus, which names in notes must not have', () => {
    const plus = signCheckpoint({ ...CHECKPOINT, instanceId: 'a+b:c@d.e_f-g' }, key);
    expect(plus).to.match(/^signing-service-audit\/a%2Bb:c@d\.e_f-g\n/);
    expect(read(plus).instanceId).to.equal('a+b:c@d.e_f-g');
    expect(isSignedBy(read(plus), key.publicKey)).to.equal(true);
  });

  it('was not signed by another key, nor when anything in it is another', () => {
    expect(isSignedBy(read(note), createCheckpointKey().publicKey)).to.equal(false);
    expect(isSignedBy(read(note), key.publicKey.subarray(1))).to.equal(false);
    for (const altered of [
      note.replace('\n1000\n', '\n1001\n'),
      note.replace('.123Z', '.124Z'),
      note.replace(Buffer.from(DIGEST, 'hex').toString('base64'), Buffer.alloc(32).toString('base64')),
      note.replaceAll('signer-1', 'signer-2'),
    ]) {
      expect(altered).to.not.equal(note);
      expect(isSignedBy(read(altered), key.publicKey)).to.equal(false);
    }
  });

  it('was not signed when any bit of key id or signature is another', () => {
    const at = note.lastIndexOf(' ') + 1;
    const signed = Buffer.from(note.slice(at).trimEnd(), 'base64');
    for (let bit = 0; bit < signed.length * 8; bit += 7) {
      const flipped = Buffer.from(signed);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const checkpoint = read(`${note.slice(0, at)}${flipped.toString('base64')}\n`);
      expect(isSignedBy(checkpoint, key.publicKey), `bit ${bit}`).to.equal(false);
    }
  });

  it('is none in any other form', () => {
    for (const other of [
      '',
      note.trimEnd(),
      `${note}\n`,
      ` ${note}`,
      note.replaceAll('\n', '\r\n'),
      note.replace('\n1000\n', '\n01000\n'),
      note.replace('\n1000\n', '\n0\n'),
      note.replace('\n1000\n', '\n-1\n'),
      note.replace('.123Z', 'Z'),
      note.replace('\u2014', '-'),
      note.replace('\u2014 signing-service-audit/signer-1', '\u2014 signing-service-audit/signer-2'),
      note.replaceAll('signing-service-audit/', 'another/'),
      note + note.slice(note.indexOf('\u2014')),
    ]) {
      expect(readCheckpoint(other), other).to.equal(null);
    }
  });
});
