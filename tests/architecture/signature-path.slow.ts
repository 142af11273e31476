import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

/** Run only with authentication, forwarded certificates, policies or rate limits. */
const IF_CONFIGURED = [
  'adapters/auth',
  'adapters/http/tls/forwarded-clients',
  'adapters/policy/cel-policy-language',
  'domain/policy',
  'adapters/limits/memory-budget-ledger',
  'domain/services/account-budgets',
  'domain/services/account-rate-limiter',
  'domain/services/authentication-service',
];

/** Files and folders of src that the checklist links, without extension. */
function linkedFiles(): readonly string[] {
  const page = readFileSync(join(PROJECT_ROOT, 'docs/reviewers/architecture.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| \d* *\|/.test(line));
  const links = rows.flatMap((row) =>
    [...row.matchAll(/\]\(\.\.\/\.\.\/src\/([a-z0-9/-]+)/g)].map(([, path = '']) => path),
  );
  return [...new Set(links)];
}

describe('The checklist of docs/reviewers/architecture.md', () => {
  it('links files that a signature executes', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'scripts/measure/signature-path.ts', '--list'],
      { cwd: PROJECT_ROOT },
    );
    const executed = stdout.split('\n');
    const linked = linkedFiles();
    expect(linked).to.have.length.above(15);
    expect(linked.filter((path) => !executed.some((line) => line.startsWith(path)))).to.have.members(IF_CONFIGURED);
  }).timeout(60_000);
});
