import { appendFileSync, utimesSync } from 'node:fs';
import { expect } from 'chai';
import { HelperProblem, readWholeFile } from '../../../src/key-helpers/helper-program.ts';
import { useTemporaryFolder } from '../adapters/secret-files/temporary-folder.ts';

describe('readWholeFile', () => {
  const folder = useTemporaryFolder();

  it('rejects a file that changes while it is read', () => {
    for (const change of [(file: string) => appendFileSync(file, 'x'), (file: string) => utimesSync(file, 1, 1)]) {
      const file = folder.file('secret', 'secret');
      const read = () =>
        readWholeFile(file, 100, () => {
          change(file);
          return null;
        });
      expect(read).to.throw(HelperProblem, 'it changed while it was being read');
    }
  });
});
