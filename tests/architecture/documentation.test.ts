import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { GENERATED_MARK } from '../../scripts/generate/generated-mark.ts';
import { REVIEW_PAGE, withLineCounts } from '../../scripts/generate/review-page.ts';
import { SETTINGS_PAGE, withSettings } from '../../scripts/generate/settings-table.ts';
import { STATUS_OF_CODE } from '../../src/adapters/http/http-refusal.ts';
import { SETTING_NAMES } from '../../src/app/settings/setting-table.ts';
import { codeBlocks, PASTED_PAGES } from './shell-blocks.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8');
}

/** Languages of blocks that can be run. */
const PROGRAMS = ['sh', 'js', 'ts', 'python', 'go'];

function pagesIn(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  );
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
  const documents = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'deploy/README.md', ...pagesIn('docs')];

  /** Pages with blocks that a test of their own runs. */
  const run = [
    ...PASTED_PAGES.map(([page]) => page),
    // scripts/unit/guide-script.ts
    ...['docs/operators/deploy.md', 'docs/operators/keys.md', 'docs/operators/backup-and-upgrade.md'],
    // tests/architecture/command-page.test.ts, tests/vectors/preset-page.slow.ts
    ...['docs/operators/command-line.md', 'docs/callers/venues.md'],
  ];

  for (const document of documents.filter((page) => !run.includes(page))) {
    it(`${document} marks the blocks that no test runs`, () => {
      const programs = codeBlocks(read(document)).filter(({ language }) => PROGRAMS.includes(language));
      expect(programs.filter(({ runs }) => runs).map(({ text }) => text)).to.deep.equal([]);
    });
  }

  for (const document of pagesIn(
    'docs/callers',
    'docs/operators',
    'docs/auditors',
    'docs/reviewers',
    'docs/contributors',
  )) {
    it(`${document} begins with its readers`, () => {
      const [, , first = ''] = read(document).replace(GENERATED_MARK, '').split('\n');
      const [reader = ''] = document.split('/').slice(1);
      expect(first.toLowerCase()).to.match(new RegExp(`^for (?:security )?${reader}\\b`));
    });
  }

  it('decisions are numbered without gaps, and start with their number', () => {
    const files = readdirSync(join(REPOSITORY, 'docs/decisions')).toSorted();
    for (const [index, file] of files.entries()) {
      expect(file.slice(0, 5)).to.equal(`${String(index + 1).padStart(4, '0')}-`);
      expect(read(`docs/decisions/${file}`).startsWith(`# ${index + 1}. `), file).to.equal(true);
    }
  });

  it('docs/reviewers/threat-model.md names only existing tests', () => {
    const commands = [...read('docs/reviewers/threat-model.md').matchAll(/`npx mocha ([^`]+)`/g)].map(
      ([, files = '']) => files,
    );
    expect(commands).to.have.length.above(6);
    const files = readdirSync(join(REPOSITORY, 'tests'), { recursive: true }).map((file) => `tests/${file}`);
    const missing = commands
      .flatMap((command) => command.split(' '))
      .filter((pattern) => !files.some((file) => new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`).test(file)));
    expect(missing).to.deep.equal([]);
  });

  it(`${SETTINGS_PAGE} has the settings (regenerate with \`npm run generate -- docs\`)`, () => {
    expect(withSettings(read(SETTINGS_PAGE))).to.equal(read(SETTINGS_PAGE));
    const rows = codeRows(read(SETTINGS_PAGE)).filter(([name = '']) => name.startsWith('SIGNING_'));
    expect(rows.map(([name]) => name)).to.deep.equal(SETTING_NAMES);
  });

  it(`${REVIEW_PAGE} has the line counts of its files (regenerate with \`npm run generate -- docs\`)`, () => {
    const page = read(REVIEW_PAGE);
    expect(withLineCounts(page, (link) => read(join(dirname(REVIEW_PAGE), link)))).to.equal(page);
    expect([...page.matchAll(/^\| \[.*?\) \| \d+ \|/gm)]).to.have.length.above(10);
  });

  it(`${REVIEW_PAGE} names only existing tests`, () => {
    const named = [...read(REVIEW_PAGE).matchAll(/`(tests\/[^`]+)`/g)].map(([, file = '']) => file);
    expect(named).to.have.length.above(5);
    expect(named.filter((file) => !existsSync(join(REPOSITORY, file)))).to.deep.equal([]);
  });

  it('docs/callers/errors.md lists every error code with its status', () => {
    const rows = codeRows(read('docs/callers/errors.md')).filter(
      ([code = '']) => Object.hasOwn(STATUS_OF_CODE, code) || /^[A-Z]+_[A-Z_]+$/.test(code),
    );
    const documented = new Map(rows.map(([code = '', status = '']) => [code, Number(status)]));
    expect(Object.fromEntries(documented)).to.deep.equal(STATUS_OF_CODE);
  });

  it('docs/reviewers/architecture.md has the steps of the checklist in signSome', () => {
    const documented = [...read('docs/reviewers/architecture.md').matchAll(/^\| (\d+) \|/gm)].map(
      ([, number]) => number,
    );
    const code = read('src/domain/services/sign-request-service.ts');
    expect(documented).to.deep.equal([...code.matchAll(/^ +\/\/ (\d+)\. /gm)].map(([, number]) => number));
    expect(documented).to.have.length.above(5);
  });
});
