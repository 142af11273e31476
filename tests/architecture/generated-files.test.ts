import { expect } from 'chai';
import { GENERATED } from '../../scripts/generate/generated-files.ts';
import { readProjectFile } from '../project-root.ts';

describe('Generated files', () => {
  for (const [name, generate] of Object.entries(GENERATED)) {
    it(`are current (npm run generate -- ${name})`, async () => {
      const files = Object.entries(await generate());
      expect(files).to.have.length.above(2);
      for (const [path, text] of files) expect(readProjectFile(path) === text, path).to.equal(true);
    });
  }
});
