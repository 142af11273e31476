import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { withSettings } from '../../scripts/generate/settings-table.ts';
import { STATUS_OF_CODE } from '../../src/adapters/http/http-refusal.ts';
import { SETTING_NAMES } from '../../src/app/settings/setting-table.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8');
}

/** Cells of table rows that begin with code. */
function codeRows(text: string): readonly (readonly string[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

describe('Documentation', () => {
  const documents = [
    ...readdirSync(REPOSITORY).filter((file) => file.endsWith('.md')),
    ...readdirSync(join(REPOSITORY, 'docs'), { recursive: true })
      .map((file) => join('docs', String(file)))
      .filter((file) => file.endsWith('.md')),
  ];

  for (const document of documents) {
    it(`${document} links only to existing files`, () => {
      const targets = [...read(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
      const missing = targets
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(resolve(REPOSITORY, dirname(document), target)));
      expect(missing).to.deep.equal([]);
    });
  }

  it('decisions are numbered without gaps, and start with their number', () => {
    const files = readdirSync(join(REPOSITORY, 'docs/decisions')).toSorted();
    for (const [index, file] of files.entries()) {
      expect(file.slice(0, 5)).to.equal(`${String(index + 1).padStart(4, '0')}-`);
      expect(read(`docs/decisions/${file}`).startsWith(`# ${index + 1}. `), file).to.equal(true);
    }
  });

  it('docs/THREAT_MODEL.md names only existing tests', () => {
    const commands = [...read('docs/THREAT_MODEL.md').matchAll(/`npx mocha ([^`]+)`/g)].map(([, files = '']) => files);
    expect(commands).to.have.length.above(6);
    const files = readdirSync(join(REPOSITORY, 'tests'), { recursive: true }).map((file) => `tests/${file}`);
    const missing = commands
      .flatMap((command) => command.split(' '))
      .filter((pattern) => !files.some((file) => new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`).test(file)));
    expect(missing).to.deep.equal([]);
  });

  it('the README matches the settings (regenerate with `npm run generate -- docs`)', () => {
    expect(withSettings(read('README.md'))).to.equal(read('README.md'));
    const rows = codeRows(read('README.md')).filter(([name = '']) => name.startsWith('SIGNING_'));
    expect(rows.map(([name]) => name)).to.deep.equal(SETTING_NAMES);
  });

  it('docs/API.md lists every error code with its status', () => {
    const rows = codeRows(read('docs/API.md')).filter(
      ([code = '']) => Object.hasOwn(STATUS_OF_CODE, code) || /^[A-Z]+_[A-Z_]+$/.test(code),
    );
    const documented = new Map(rows.map(([code = '', status = '']) => [code, Number(status)]));
    expect(Object.fromEntries(documented)).to.deep.equal(STATUS_OF_CODE);
  });

  it('docs/ARCHITECTURE.md has the steps of the checklist in signSome', () => {
    const documented = [...read('docs/ARCHITECTURE.md').matchAll(/^\| (\d+) \|/gm)].map(([, number]) => number);
    const code = read('src/domain/services/sign-request-service.ts');
    expect(documented).to.deep.equal([...code.matchAll(/^ +\/\/ (\d+)\. /gm)].map(([, number]) => number));
    expect(documented).to.have.length.above(5);
  });
});
