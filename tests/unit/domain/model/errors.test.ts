import { expect } from 'chai';
import { MemoryLockError } from '../../../../src/adapters/vault/locked-buffer.ts';
import { CredentialLoadError, inContext, OperatorError } from '../../../../src/domain/model/errors.ts';

describe('inContext', () => {
  const explain = (message: string) => `The key cannot be read: ${message}`;

  it('adds to the message of an OperatorError and keeps the code of its cause', () => {
    const cause = Object.assign(new Error('from the system'), { code: 'ENOENT' });
    const error = inContext(new OperatorError('/k: no such file.', { cause }), explain);
    expect(error).to.be.instanceOf(OperatorError).and.include({ code: 'ENOENT' });
    expect((error as Error).message).to.equal('The key cannot be read: /k: no such file.');
  });

  it('leaves unexpected errors, and errors that speak for themselves', () => {
    for (const error of [new TypeError('a bug'), new MemoryLockError(new Error('limit')), 'text']) {
      expect(inContext(error, explain)).to.equal(error);
    }
  });
});

describe('CredentialLoadError', () => {
  it('has its issues as one sentence, also if one of them is a sentence', () => {
    const issues = [
      { path: 'accounts[0].key', message: 'The key is zero.' },
      { path: '', message: 'is not valid JSON' },
    ];
    expect(new CredentialLoadError('c.json', issues).message).to.equal(
      'c.json: accounts[0].key: The key is zero; is not valid JSON.',
    );
  });
});
