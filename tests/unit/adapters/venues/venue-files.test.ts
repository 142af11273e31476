import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readVenues } from '../../../../src/adapters/venues/venue-files.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { findDuplicateKeys } from '../../../../src/domain/model/text/lossless-json.ts';
import { projectUrl, readProjectFile } from '../../../project-root.ts';

const FILES = readdirSync(projectUrl('config/venues/'));
const [FIRST = ''] = FILES;

/** A file of a venue, with one of its presets. */
function readFirst() {
  const file = JSON.parse(readProjectFile(`config/venues/${FIRST}`));
  const [[name, preset] = ['', {}]] = Object.entries<object>(file.presets);
  return { file, name, preset };
}

describe('Files of venues', () => {
  it('fit the published schema, and have no member twice', () => {
    const schema = JSON.parse(readProjectFile('config/venue.schema.json'));
    const isValid = new Ajv2020({ strict: false }).compile(schema);
    for (const file of FILES) {
      const text = readProjectFile(`config/venues/${file}`);
      expect(isValid(JSON.parse(text)), `${file}: ${JSON.stringify(isValid.errors)}`).to.equal(true);
      expect(findDuplicateKeys(text, 1), file).to.deep.equal([]);
    }
    expect(isValid({ ...readFirst().file, presets: { new: {} } })).to.equal(false);
  });

  describe('that are damaged', () => {
    const folder = mkdtempSync(join(tmpdir(), 'venues-'));
    const file = join(folder, 'first.json');
    after(() => rmSync(folder, { recursive: true }));

    function problemOf(text: string): string {
      writeFileSync(file, text);
      try {
        readVenues(folder);
      } catch (error) {
        expect(error).to.be.instanceOf(OperatorError);
        return (error as OperatorError).message;
      }
      return 'none';
    }

    /** With members of its preset replaced. */
    function problemWith(members: object): string {
      const { file: written, name, preset } = readFirst();
      const presets = { ...written.presets, [name]: { ...preset, ...members } };
      return problemOf(JSON.stringify({ ...written, presets }));
    }

    it('are named if two have a preset of the same name', () => {
      const { name } = readFirst();
      const second = join(folder, 'second.json');
      writeFileSync(second, readProjectFile(`config/venues/${FIRST}`));
      expect(problemWith({})).to.include(`two presets named ${name}`);
      rmSync(second);
    });

    it('are named with the member that is wrong, and what to do', () => {
      const { name } = readFirst();
      expect(problemWith({})).to.equal('none');
      for (const [members, named] of [
        [{ keyFile: undefined }, `presets.${name}.keyFile: is required`],
        [{ docs: 'http://example.com' }, `presets.${name}.docs: must be an https URL`],
        [{ example: 'other' }, `presets.${name}.example: is the id of no vector`],
        [{ note: [] }, `presets.${name}.note: is an unknown field`],
        [{ platform: { format: 'any', payload: { rule: 'prehash', template: '{x}' } } }, '.payload.template: '],
      ] as const) {
        expect(problemWith(members)).to.include(`${file}: presets.${name}`).and.include(named);
        expect(problemWith(members)).to.include('install it again');
      }
      expect(problemOf('{')).to.include(`${file} is not valid JSON`);
    });

    it('are named if they cannot be read, like a folder that is missing or empty', () => {
      const problem = (path: string) => expect(() => readVenues(path)).to.throw(OperatorError);
      problem(join(folder, 'missing')).with.property('message').that.includes('missing cannot be read (ENOENT)');
      rmSync(file);
      problem(folder).with.property('message').that.includes(`${folder} has no venues`);
    });
  });
});
