import { copyFileSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { credentialsJsonSchema } from '../../../../../src/adapters/driven/credential-source/credentials-json-schema.ts';
import { useWorkplace } from './credentials-workplace.ts';

const PUBLISHED = new URL('../../../../../config/credentials.schema.json', import.meta.url);
const EXAMPLE = new URL('../../../../../config/credentials.example.json', import.meta.url);

describe('config/', () => {
  const workplace = useWorkplace();

  it('holds the schema that the service reads with; run scripts/write-credentials-schema.ts after a change', () => {
    expect(JSON.parse(readFileSync(PUBLISHED, 'utf8'))).to.deep.equal(credentialsJsonSchema());
  });

  it('holds an example that loads, with one platform of each format of the specification and no key in it', async () => {
    copyFileSync(EXAMPLE, workplace().file);
    const set = await workplace().source({ production: true }).load();
    expect(set.platforms.map(({ format }) => format)).to.deep.equal(['A', 'B', 'C', 'D']);
    expect(set.accounts).to.not.be.empty;
    set.close();
    expect(workplace().text()).to.not.match(/"(sealed|plaintext)"/);
  });
});
