import { expect } from 'chai';
import { isProduction } from '../../../src/app/production.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';

describe('isProduction', () => {
  const cases: readonly (readonly [string | undefined, boolean])[] = [
    ['production', true],
    ['PRODUCTION', true],
    ['test', false],
    ['', false],
    [undefined, false],
    ['prod', true],
    [' production ', true],
    ['production\n', true],
    ['product', false],
  ];
  for (const [NODE_ENV, expected] of cases) {
    it(`is ${expected} for NODE_ENV=${NODE_ENV}, and the settings agree`, () => {
      expect(isProduction({ NODE_ENV })).to.equal(expected);
      expect(readSettings({ NODE_ENV }).production).to.equal(expected);
    });
  }
});
