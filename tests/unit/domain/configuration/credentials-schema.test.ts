import { copyFileSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { allAccounts } from '../../../doubles/all-accounts.ts';
import { projectUrl } from '../../../project-root.ts';
import { useWorkplace } from '../../adapters/credentials/credentials-workplace.ts';

const PUBLISHED = projectUrl('config/credentials.schema.json');
const EXAMPLE = projectUrl('config/credentials.example.json');

describe('config/', () => {
  const workplace = useWorkplace();

  it('has patterns that are portable across languages', () => {
    const patterns = patternsIn(JSON.parse(readFileSync(PUBLISHED, 'utf8')));
    expect(patterns).to.have.length.above(4);
    for (const pattern of patterns) {
      expect(pattern).not.to.match(/\\[pPuk0]/);
      expect(pattern).not.to.match(/\(\?(?!:)/);
      for (const [, max] of pattern.matchAll(/\{\d+,?(\d*)\}/g)) expect(Number(max)).to.be.at.most(1000);
    }
  });

  it('holds a loadable example with one platform of each format and no keys', async () => {
    copyFileSync(EXAMPLE, workplace().file);
    const set = await workplace().source({ production: true }).load();
    expect(set.platforms.map(({ format }) => format)).to.deep.equal(['A', 'B', 'C', 'D', 'any']);
    expect(await allAccounts(set)).to.not.be.empty;
    set.close();
    expect(workplace().text()).to.not.match(/"(sealed|plaintext)"/);
  });
});

/** All `pattern`s in a JSON Schema. */
function patternsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'pattern' && typeof value === 'string' ? [value] : patternsIn(value),
  );
}
