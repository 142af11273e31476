import { expect } from 'chai';
import { findTokenForm } from '../../../../../src/adapters/cli/platform/token-form.ts';
import type { NamedRule } from '../../../../../src/domain/model/platform.ts';

const JWT: NamedRule = { rule: 'jwt', header: {}, claims: { sub: '{account.keyName}' } };
const RAW: NamedRule = { rule: 'raw' };

describe('The form of tokens', () => {
  it('names the rules whose signatures have another form', () => {
    expect(findTokenForm({ payload: RAW, rules: { other: RAW } })).to.equal(undefined);
    expect(findTokenForm({ payload: JWT, rules: { websocket: JWT } })).to.equal(
      'signatures are whole tokens (jws-compact)',
    );
    expect(findTokenForm({ payload: RAW, encoding: 'hex', rules: { login: JWT } })).to.equal(
      'signatures in hex; with rule login signatures are whole tokens (jws-compact)',
    );
    expect(findTokenForm({ payload: JWT, rules: { fix: { ...RAW, encoding: 'base64' } } })).to.equal(
      'signatures are whole tokens (jws-compact); with rule fix signatures in base64',
    );
  });
});
