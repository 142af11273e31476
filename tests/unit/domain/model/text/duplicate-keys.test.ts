import { expect } from 'chai';
import fc from 'fast-check';
import { visit } from 'jsonc-parser';
import {
  type DuplicateKey,
  duplicateKeySteps,
  findDuplicateKeys,
} from '../../../../../src/domain/model/text/lossless-json.ts';
import { jsonText } from './json-texts.ts';

function duplicatesIn(text: string, limit?: number): readonly DuplicateKey[] {
  const duplicates = findDuplicateKeys(text, limit);
  if (duplicates === null) throw new Error('The text is nested too deeply.');
  return duplicates;
}

/** Reference by a full parser. */
function duplicatesByParser(text: string): readonly DuplicateKey[] {
  const duplicates: DuplicateKey[] = [];
  const objects: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void objects.push(new Set()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty: (name, offset, _length, _line, _character, path) => {
      const keys = objects.at(-1);
      if (keys?.has(name)) duplicates.push({ name, path: path(), offset });
      keys?.add(name);
    },
  });
  return duplicates;
}

describe('findDuplicateKeys', () => {
  it('returns name, parent path and offset of the duplicate key', () => {
    const text = '{"a":1,"b":{"c":[{},{"d":1,"e":2,"d":3}]}}';
    expect(duplicatesIn(text)).to.deep.equal([{ name: 'd', path: ['b', 'c', 1], offset: text.lastIndexOf('"d"') }]);
  });

  it('returns the first duplicates up to the limit', () => {
    expect(duplicatesIn('{"a":1,"a":2,"b":3,"b":4,"c":5,"c":6}', 2).map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });

  for (const [name, text] of [
    ['objects', '{"a":'.repeat(20_000) + 1 + '}'.repeat(20_000)],
    ['arrays', '['.repeat(20_000) + ']'.repeat(20_000)],
  ] as const) {
    it(`returns null for 20,000 nested ${name}`, () => {
      expect(findDuplicateKeys(text)).to.equal(null);
    });
  }

  it('follows 1,000 levels', () => {
    const text = `${'{"a":'.repeat(1000)}{"b":1,"b":2}${'}'.repeat(1000)}`;
    expect(duplicatesIn(text).map(({ path }) => path.length)).to.deep.equal([1000]);
  });

  it('yields often, even within one long object', () => {
    const members = Array.from({ length: 95_000 }, (_, index) => `"m${index}":1`).join(',');
    const text = `{${members},"m0":2}`;
    const steps = duplicateKeySteps(text);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(step.value).to.deep.equal([{ name: 'm0', path: [], offset: text.length - '"m0":2}'.length }]);
    expect(pauses).to.be.at.least(95 + 40);
  });

  it('scans long strings of backslashes or quotes in linear time', () => {
    for (const character of ['\\', '"']) {
      expect(duplicatesIn(JSON.stringify({ a: character.repeat(2_000_000), b: 1 }))).to.deep.equal([]);
    }
  });

  it('terminates on invalid JSON', () => {
    for (const text of ['"', '{"a', '{"a":"', '{"a":1,"b\\"', '":"', '{"a" ', '}{"a":']) {
      expect(findDuplicateKeys(text), text).to.deep.equal([]);
    }
  });

  it('finds the same duplicates as a full parser', () => {
    let doubled = 0;
    fc.assert(
      fc.property(jsonText, (text) => {
        const duplicates = duplicatesByParser(text);
        expect(duplicatesIn(text), text).to.deep.equal(duplicates);
        if (duplicates.length > 0) doubled += 1;
      }),
      { numRuns: 5000 },
    );
    // The generator must produce duplicates.
    expect(doubled).to.be.greaterThan(100);
  });
});
