import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { commandPage, definedProgram, listLeaves } from '../../scripts/generate/command-page.ts';

const page = readFileSync(new URL('../../docs/CLI.md', import.meta.url), 'utf8');

describe('docs/CLI.md', () => {
  it('is what the definitions of the commands say; `npm run generate -- docs` writes it anew', () => {
    expect(page).to.equal(commandPage());
  });

  it('has a part for every command, to which its list leads', () => {
    for (const [name] of listLeaves(definedProgram())) {
      expect(page).to.include(`\n### ${name}\n`);
      expect(page).to.include(`| [\`${name}\`](#${name.replaceAll(' ', '-')}) | `);
    }
  });

  it('shows a picture that is there', () => {
    const [, image = ''] = /!\[[^\]]+\]\(([^)]+)\)/.exec(page) ?? [];
    expect(existsSync(new URL(`../../docs/${image}`, import.meta.url)), image).to.equal(true);
  });
});
