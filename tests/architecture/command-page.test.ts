import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { commandPage, definedProgram, listLeaves } from '../../scripts/generate/command-page.ts';

const page = readFileSync(new URL('../../docs/operators/command-line.md', import.meta.url), 'utf8');

const DEFINED = await commandPage();
const PROGRAM = await definedProgram();

describe('docs/operators/command-line.md', () => {
  it('matches the command definitions (regenerate with `npm run generate -- docs`)', () => {
    expect(page).to.equal(DEFINED);
  });

  it('has a section for every command', () => {
    for (const [name] of listLeaves(PROGRAM)) {
      expect(page).to.include(`\n### ${name}\n`);
    }
  });

  it('shows an existing image', () => {
    const [, image = ''] = /!\[[^\]]+\]\(([^)]+)\)/.exec(page) ?? [];
    expect(existsSync(new URL(`../../docs/operators/${image}`, import.meta.url)), image).to.equal(true);
  });
});
