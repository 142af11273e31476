import { expect } from 'chai';
import fc from 'fast-check';
import { formatCursor, parseCursor } from '../../../../../src/adapters/http/schemas/accounts-query.ts';

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$/);

describe('The cursor of the account list', () => {
  it('encodes a position, and needs no escaping in a query', () => {
    fc.assert(
      fc.property(id, id, (platformId, accountId) => {
        const cursor = formatCursor({ platformId, accountId });
        expect(cursor).to.match(/^[A-Za-z0-9_-]+$/);
        expect(parseCursor(cursor)).to.deep.equal({ platformId, accountId });
      }),
    );
  });

  it('is rejected if invalid', () => {
    const good = formatCursor({ platformId: 'alpha', accountId: 'main' });
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
      expect(parseCursor(cursor), cursor).to.equal(undefined);
    }
  });
});
