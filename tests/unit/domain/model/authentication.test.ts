import { expect } from 'chai';
import { ANONYMOUS, isPrincipal } from '../../../../src/domain/model/authentication.ts';

describe('isPrincipal', () => {
  for (const name of [
    '7',
    'spiffe://firm.example/desk/7',
    'CN=Desk 7,OU=Trading, O=Firm+L=City',
    'Anonymous',
    'x'.repeat(256),
  ]) {
    it(`accepts ${name.slice(0, 40)}`, () => expect(isPrincipal(name)).to.equal(true));
  }

  for (const [what, name] of [
    ['no text', ''],
    ['257 characters', 'x'.repeat(257)],
    ['the name of callers who proved nothing', ANONYMOUS],
    ['a star', 'bot-*'],
    ['a blank at its beginning', ' bot'],
    ['a blank at its end', 'bot '],
    ['a line feed at its end', 'bot\n'],
    ['quotation marks', 'bot"'],
    ['a letter that looks like another', 'b\u043et'],
  ] as const) {
    it(`rejects ${what}`, () => expect(isPrincipal(name)).to.equal(false));
  }
});
