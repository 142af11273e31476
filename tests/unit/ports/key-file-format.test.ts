import { expect } from 'chai';
import { KEY_FORMATS, TEXT_FORMATS } from '../../../src/adapters/key-files/detect-key-format.ts';
import { KEY_FILE_FORMATS } from '../../../src/ports/credential-editor.ts';

describe('Key file formats', () => {
  it('accepted from operators are those that secure memory reads', () => {
    expect(KEY_FILE_FORMATS).to.have.members([...KEY_FORMATS, ...TEXT_FORMATS]);
  });
});
