import { expect } from 'chai';
import { readProjectFile } from '../../../../project-root.ts';

/** The specification's table, Authentication 3. */
const SPECIFIED = [
  ['AccessToken', 'username', 'string', 1],
  ['AccessToken', 'public_key', 'bytes', 2],
  ['AccessToken', 'expiration_time', 'string', 3],
  ['AccessToken', 'signature', 'bytes', 4],
  ['RequestAuthInfo', 'client_access_token', 'AccessToken', 1],
  ['RequestAuthInfo', 'service_public_key', 'bytes', 2],
  ['RequestAuthInfo', 'time', 'double', 3],
  ['RequestAuthInfo', 'nonce', 'bytes', 4],
  ['RequestAuthInfo', 'signature', 'bytes', 5],
  ['ResponseAuthInfo', 'service_access_token', 'AccessToken', 1],
  ['ResponseAuthInfo', 'nonce', 'bytes', 2],
  ['ResponseAuthInfo', 'signature', 'bytes', 3],
];

describe('access-messages.proto', () => {
  it('has the messages of the specification: names, types and numbers', () => {
    const text = readProjectFile('src/adapters/auth/messages/access-messages.proto').replaceAll(/\/\/.*$/gm, '');
    const messages = [...text.matchAll(/message (\w+) \{([^}]*)\}/g)];
    const fields = messages.flatMap(([, message, body = '']) =>
      [...body.matchAll(/(\w+) (\w+) = (\d+);/g)].map(([, type, name, number]) => [
        message,
        name,
        type,
        Number(number),
      ]),
    );
    expect(fields).to.deep.equal(SPECIFIED);
    expect(text).to.match(/^\s*syntax = "proto3";/);
  });
});
