import { expect } from 'chai';
import {
  bytesPayload,
  fieldMessage,
  invalid,
  MAX_PAYLOAD_LENGTH,
  textPayload,
} from '../../../../src/domain/payload/payload-outcome.ts';
import { expectBytes } from './payload-expectations.ts';

describe('textPayload', () => {
  it('accepts a text of 4 Mi characters and rejects a longer one, for any rule', () => {
    const longest = 'a'.repeat(MAX_PAYLOAD_LENGTH);
    expect(textPayload(longest).ok).to.equal(true);
    const refused = textPayload(`${longest}a`);
    expect(refused).to.have.nested.property('refusal.path', 'data');
  });
});

describe('payload outcomes', () => {
  it('encodes a text as UTF-8', () => {
    expectBytes(textPayload('é😀'), 'é😀', 'c3a9f09f9880');
    expectBytes(textPayload(''), '', '');
  });

  it('keeps bytes and their original text', () => {
    expectBytes(bytesPayload({ bytes: Uint8Array.of(0, 255), text: 'AP8=', encoding: 'base64' }), 'AP8=', '00ff');
  });

  it('names the path and what is expected', () => {
    expect(invalid('data.a', 'must be b')).to.deep.equal({
      ok: false,
      refusal: { path: 'data.a', message: 'must be b' },
    });
  });

  it('reports a missing field', () => {
    expect(fieldMessage(undefined, 'must be a string')).to.equal('is missing; it must be a string');
    expect(fieldMessage(null, 'must be a string')).to.equal('must be a string');
  });
});
