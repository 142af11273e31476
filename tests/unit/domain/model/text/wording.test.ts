import { expect } from 'chai';
import { formatBytes } from '../../../../../src/domain/model/text/wording.ts';

describe('formatBytes', () => {
  it('rounds down, with one decimal below 100', () => {
    const sizes = [0, 1023, 1024, 1.5 * 1024 ** 3, 50_000_000_000, 1024 ** 3 - 1, 5000 * 1024 ** 4];
    expect(sizes.map(formatBytes)).to.deep.equal([
      '0 bytes',
      '1023 bytes',
      '1 KiB',
      '1.5 GiB',
      '46.5 GiB',
      '1023 MiB',
      '5000 TiB',
    ]);
  });
});
