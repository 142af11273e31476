import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningService } from '../../src/app/lifecycle.ts';
import { runCommand, settingsIn } from '../harness/run-command.ts';
import { startHere } from '../harness/start-here.ts';
import { readProjectFile } from '../project-root.ts';

const PAGE = readProjectFile('docs/callers/payload-rules.md');
const SECTION = PAGE.split('\n## Cancels and queries\n')[1]?.split('\n## ')[0] ?? '';

/** The section of a format: the command that adds a platform, and samples to sign. */
function documented(format: string) {
  const part = SECTION.split(`\n### Format ${format}\n`)[1]?.split('\n### ')[0] ?? '';
  const [, command = ''] = /^```sh(?: no-run)?\nsigning-service (.*)\n```$/m.exec(part) ?? [];
  const examples = [...part.matchAll(/^```json example\n(.*?)^```$/gms)].map(
    ([, text = '']) => JSON.parse(text) as { data: object; signs: string },
  );
  return { args: command.split(' ').map((word) => word.replaceAll("'", '')), examples };
}

/** Why format B, C or D rejects the samples; null if it accepts one. */
const REFUSED_AT: { readonly [format: string]: readonly (string | null)[] } = {
  B: ['data.message.symbol'],
  C: ['data.params.side'],
  D: ['data.body.side', null],
};

describe('Cancels and queries from docs/callers/payload-rules.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cancels-and-queries-'));
  const environment = settingsIn(folder);
  let service: RunningService | undefined;

  async function addPlatform(platformId: string, args: readonly string[], algorithm: string): Promise<void> {
    await runCommand(environment, ...args);
    const file = join(folder, 'secret');
    writeFileSync(file, algorithm === 'eip191' ? '11'.repeat(32) : 'a-secret', { mode: 0o600 });
    const account = ['--platform', platformId, '--account', 'main', '--algorithm', algorithm, '--key-file', file];
    await runCommand(environment, 'account', 'add', ...account);
  }

  before(async () => {
    await runCommand(environment, 'init');
    for (const format of Object.keys(REFUSED_AT)) {
      const { args } = documented(format);
      const algorithm = args.at(-1) ?? '';
      await addPlatform(args[args.indexOf('--platform') + 1] ?? '', args, algorithm);
      await addPlatform(format, ['platform', 'add', '--platform', format, '--format', format], algorithm);
    }
    service = await startHere(environment);
  });

  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function sign(platformId: string, data: object) {
    const response = await fetch(`${service?.url}/api/v1/sign?include=payload`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platformId, accountId: 'main', data }),
    });
    return (await response.json()) as {
      data?: { payload: string };
      error?: { code: string; details: { issues: readonly { path: string }[] } };
    };
  }

  for (const [format, paths] of Object.entries(REFUSED_AT)) {
    it(`format ${format}: are signed with format any, and rejected if the format requires an order`, async () => {
      const { args, examples } = documented(format);
      expect(examples).to.have.length(paths.length);
      for (const [index, { data, signs }] of examples.entries()) {
        const signed = await sign(args[args.indexOf('--platform') + 1] ?? '', data);
        expect(signed.data?.payload, JSON.stringify(signed)).to.equal(signs);

        const { data: taken, error } = await sign(format, data);
        const path = paths[index];
        if (path === null) expect(taken?.payload).to.equal(signs);
        else {
          expect(error?.code).to.equal('INVALID_DATA_FORMAT');
          expect(error?.details.issues.map((issue) => issue.path)).to.include(path);
        }
      }
    });
  }
});
