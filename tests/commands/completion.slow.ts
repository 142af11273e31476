import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { commandInProcess } from '../harness/command-in-process.ts';
import { Workplace } from '../harness/service-process.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** Prints the suggestions for $LINE, a line each, after loading $SCRIPT. */
const SHELLS: { readonly [shell: string]: readonly string[] } = {
  bash: [
    ...['--norc', '-c'],
    `source "$SCRIPT"
    IFS=' ' read -ra COMP_WORDS <<< "$LINE"
    [[ $LINE == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _signing_service signing-service
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: ['--no-config', '-c', 'source $SCRIPT; complete -C $LINE'],
  // The completion system of zsh needs a terminal: its functions print what they get.
  zsh: [
    ...['-f', '-c'],
    `compdef() { : }
    _describe() { local -a all=("\${(@P)argv[-1]}"); print -l -- "\${(@)all%%:*}" }
    _files() { print -l -- \${words[CURRENT]}*(N) }
    compset() { : }
    source $SCRIPT
    words=("\${(@s. .)LINE}") CURRENT=\${#words}
    _signing_service`,
  ],
};

describe('The completion script', () => {
  const place = new Workplace();
  before(async () => {
    mkdirSync(place.path('bin'));
    const program = join(PROJECT_ROOT, 'dist/cli.js');
    const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
    writeFileSync(place.path('bin/signing-service'), wrapper, { mode: 0o755 });
    mkdirSync(place.path('files'));
    for (const file of ['accounts.csv', 'accounts.json', 'main.key', 'new accounts.csv'])
      writeFileSync(place.path(`files/${file}`), '');
  });
  after(() => place.remove());

  for (const [shell, args] of Object.entries(SHELLS)) {
    if (spawnSync(shell, ['--version']).error !== undefined) {
      process.stdout.write(`${shell} is not installed: its completion was not tried (apt-get install ${shell}).\n`);
      continue;
    }

    describe(`of ${shell}`, () => {
      before(async () => {
        writeFileSync(place.path(`script.${shell}`), (await commandInProcess({}, ['completion', shell])).stdout);
      });

      for (const [line, suggestions] of [
        ['account dis', ['disable']],
        ['audit tail --outc', ['--outcome']],
        ['audit tail --outcome ', ['failed', 'refused', 'success']],
        ['account import acc', ['accounts.csv', 'accounts.json']],
        ['account add --key-file n', ['new accounts.csv']],
        ['account list --platform x', []],
      ] as const) {
        it(`offers ${suggestions.join(', ') || 'nothing'} after ${line}`, () => {
          const env = {
            HOME: place.folder,
            PATH: [place.path('bin'), process.env['PATH']].join(delimiter),
            SCRIPT: place.path(`script.${shell}`),
            LINE: `signing-service ${line}`,
          };
          const options = { cwd: place.path('files'), env, encoding: 'utf8', timeout: 30_000 } as const;
          const { stdout, stderr } = spawnSync(shell, args, options);
          expect(stderr).to.equal('');
          const offered = stdout.split('\n').map((suggestion) => suggestion.split('\t')[0] ?? '');
          expect(offered.filter((word) => word !== '').toSorted()).to.deep.equal(suggestions);
        }).timeout(40_000);
      }
    });
  }
});
