import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { findLeftovers } from '../../../../../src/adapters/credentials/master-key-rotation/retire-master-key.ts';
import { useWorkplace } from '../credentials-workplace.ts';

describe('findLeftovers', () => {
  const workplace = useWorkplace();
  const find = () => findLeftovers(workplace().file, workplace().masterKeyFiles);

  it('finds none next to existing or missing files', async () => {
    expect(await find()).to.deep.equal([]);
    const [file, primary, previous] = ['a.json', 'b.key', 'missing/c.key'].map(workplace().path.bind(workplace()));
    expect(await findLeftovers(String(file), { primary: String(primary), previous: String(previous) })).to.deep.equal(
      [],
    );
  });

  it('finds files, folders and dangling links next to each of the three files', async () => {
    const [credentials, primary, previous] = ['credentials.json', 'master.key', 'master.key.previous'].map((name) =>
      workplace().path(`${name}.tmp`),
    );
    writeFileSync(String(credentials), 'x');
    symlinkSync('nowhere', String(primary));
    mkdirSync(String(previous));
    expect(await find()).to.deep.equal([credentials, primary, previous]);
  });

  it('lists a leftover once if two settings lead to it', async () => {
    const { masterKeyFile, file } = workplace();
    writeFileSync(`${masterKeyFile}.tmp`, 'x');
    symlinkSync(masterKeyFile, workplace().path('link.key'));
    expect(await findLeftovers(file, { primary: masterKeyFile, previous: workplace().path('link.key') })).to.deep.equal(
      [`${masterKeyFile}.tmp`],
    );
  });

  it('ignores lock files', async () => {
    for (const name of ['credentials.json.lock', 'master.key.lock']) writeFileSync(workplace().path(name), '');
    expect(await find()).to.deep.equal([]);
  });
});
