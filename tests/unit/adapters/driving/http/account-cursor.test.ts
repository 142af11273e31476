import { expect } from 'chai';
import fc from 'fast-check';
import { cursorOf, positionOf } from '../../../../../src/adapters/driving/http/account-cursor.ts';

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/);

describe('The cursor of the list of accounts', () => {
  it('leads back to the position that it was made of, and needs no escaping in a query', () => {
    fc.assert(
      fc.property(id, id, (platformId, accountId) => {
        const cursor = cursorOf({ platformId, accountId });
        expect(cursor).to.match(/^[A-Za-z0-9_-]+$/);
        expect(positionOf(cursor)).to.deep.equal({ platformId, accountId });
      }),
    );
  });

  it('is refused when it is none', () => {
    const good = cursorOf({ platformId: 'alpha', accountId: 'main' });
    const encoded = (text: string) => Buffer.from(text).toString('base64url');
    for (const cursor of [
      '',
      'x',
      `${good}=`,
      `${good}A`,
      ` ${good}`,
      encoded('alpha'),
      encoded('alpha main more'),
      encoded('alpha  main'),
      encoded(' main'),
      encoded('älpha main'),
      encoded('alpha ../x'),
    ]) {
      expect(positionOf(cursor), cursor).to.equal(undefined);
    }
  });
});
