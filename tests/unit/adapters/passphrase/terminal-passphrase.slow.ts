import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { TerminalPassphrase } from '../../../../src/adapters/passphrase/terminal-passphrase.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { formsOf, searchProcessMemory } from '../../../process-memory/search-process-memory.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';
import { nodeCommand, TerminalSession } from './terminal-session.ts';

interface Result {
  readonly answers: readonly string[];
  readonly leftOpen: number;
}

// script(1) and /proc are Linux's.
if (process.platform === 'linux') {
  describe('TerminalPassphrase', () => {
    const sessions: TerminalSession[] = [];
    const prompts = new Set<number>();
    afterEach(async () => {
      for (const session of sessions.splice(0)) session.close();
      // Each writes its result again; wait before the folder is removed.
      for (const pid of prompts) await hasEnded(pid);
      prompts.clear();
    });
    // Hooks run in order of registration.
    const folder = useTemporaryFolder();

    const start = (command: string): TerminalSession => {
      const session = new TerminalSession(command);
      sessions.push(session);
      return session;
    };
    const promptScript = (times: number, ...also: readonly string[]): string =>
      nodeCommand('passphrase/fixtures/ask-passphrase', [String(times), folder.path('result'), ...also]);
    const result = (): Result => JSON.parse(readFileSync(folder.path('result'), 'utf8')) as Result;
    const question = async (session: TerminalSession, number: number): Promise<number> => {
      const pid = Number((await session.shows(new RegExp(`Question ${number} of (\\d+): `)))[1]);
      prompts.add(pid);
      return pid;
    };

    /** The result per typed line, in hex, or the error. */
    const promptResults = async (lines: readonly (string | Buffer)[]): Promise<readonly string[]> => {
      const session = start(promptScript(lines.length));
      for (const [index, keys] of lines.entries()) {
        await question(session, index + 1);
        session.type(keys);
      }
      await session.ended();
      return result().answers;
    };

    it('reads terminal input without echoing it, and restores the terminal', async () => {
      const mode = 'printf "mode %s." "$(stty -g)"';
      const session = start(`${mode}; read -r line; ${promptScript(2)} </dev/null; ${mode}; read -r line`);
      await session.shows(/mode \S+\./);
      session.type('seen before\r');
      await question(session, 1);
      for (const key of 'first secret') {
        session.type(key);
        await setTimeout(5);
      }
      session.type('\r');
      await question(session, 2);
      session.type('second secret\r');
      await session.shows(/mode [\s\S]*mode \S+\./);
      session.type('seen afterwards\r');
      await session.ended();
      expect(result()).to.deep.equal({ answers: [hex('first secret'), hex('second secret')], leftOpen: 0 });
      const [, before, screen = '', after] = /mode (\S+)\.([\s\S]*)mode (\S+)\./.exec(session.output) ?? [];
      expect(after).to.equal(before);
      expect(screen).to.match(/^seen before\r\nQuestion 1 of \d+: \r\nQuestion 2 of \d+: \r\n$/);
      expect(session.output, 'echo is on again').to.contain('seen afterwards');
    });

    it('accepts pasted lines, one per prompt', async () => {
      const session = start(promptScript(3));
      await question(session, 1);
      session.type('one\rtwo\n');
      await question(session, 3);
      const longest = 'x'.repeat(1024);
      session.type(`${longest}\r`);
      await session.ended();
      expect(result().answers).to.deep.equal([hex('one'), hex('two'), hex(longest)]);
      expect(session.output).not.to.match(/one|two|xx/);
    });

    const unusable: readonly (readonly [string, string | Buffer, string])[] = [
      ['an empty line', '\r', 'the line was empty'],
      ['1025 bytes', `${'x'.repeat(1025)}\r`, 'longer than 1024 bytes'],
      ['an arrow key', 'abc\x1b[D\r', 'it contains a control key'],
      ['bytes that are not UTF-8', Buffer.from('p\xe4ssword\r', 'latin1'), 'not valid UTF-8'],
    ];
    it('rejects lines that cannot be a passphrase, and accepts the next one', async () => {
      const responses = await promptResults([...unusable.map(([, keys]) => keys), 'right\r']);
      expect(responses).to.have.lengthOf(unusable.length + 1);
      for (const [index, [what, , reason]] of unusable.entries()) {
        expect(responses[index], what)
          .to.match(/^(?:No passphrase was entered|The passphrase was rejected): /)
          .and.to.contain(reason)
          .and.not.to.match(/abc|xx|ssword/);
      }
      expect(responses.at(-1)).to.equal(hex('right'));
    });

    it('leaves nothing of a too long or invalid line to the shell', async () => {
      const session = start(
        `${promptScript(1)}; ${promptScript(1)}; echo ready; read -r rest; printf 'rest=%s.' "$rest"`,
      );
      await question(session, 1);
      session.type(`${'y'.repeat(20_000)}\r`);
      await session.shows(/Question 1[\s\S]*Question 1 of \d+: /);
      session.type('\x1b[Aand more\r');
      await session.shows(/ready/);
      session.type('typed to the shell\r');
      expect((await session.shows(/rest=(.*)\./))[1]).to.equal('typed to the shell');
      expect(session.output).not.to.match(/yy|and more/);
    });

    describe('between two prompts', () => {
      it('leaves no type-ahead after the last prompt to the shell', async () => {
        const session = start(`${promptScript(1, 'compute')}; echo ready; read -r rest; printf 'rest=%s.' "$rest"`);
        await question(session, 1);
        session.type('mistyped\r');
        await session.shows(/Computing 1 /);
        session.type('typed ahead\r');
        await session.shows(/ready/);
        session.type('for the shell\r');
        expect((await session.shows(/rest=(.*)\./))[1]).to.equal('for the shell');
        expect(session.output).not.to.match(/typed/);
      });

      it('refuses the next prompt after a signal, without showing it, regardless of type-ahead', async () => {
        const session = start(promptScript(2, 'compute'));
        await question(session, 1);
        session.type('first\r');
        const [, pid] = await session.shows(/Computing 1 in (\d+)\./);
        session.type('typed ahead\r');
        process.kill(Number(pid), 'SIGTERM');
        await session.ended();
        expect(result().answers).to.deep.equal([hex('first'), 'No passphrase was entered: SIGTERM ended the prompt.']);
        expect(session.output).not.to.contain('Question 2');
      });

      it('lets a signal after the last prompt end the process, with the terminal restored', async () => {
        const session = start(
          `before=$(stty -g); ${promptScript(1, 'compute')}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored`,
        );
        await question(session, 1);
        session.type('first\r');
        const [, pid] = await session.shows(/Computing 1 in (\d+)\./);
        process.kill(Number(pid), 'SIGTERM');
        await session.ended();
        expect(session.output).to.contain('Done.').and.to.contain('code 143').and.to.contain('restored');
      });
    });

    it('hides input and prompts again when resumed after a job-control stop', async () => {
      // fg gives the terminal back to a stopped job. Lines typed before stty would have no end.
      const session = start(
        `set -m; ${promptScript(1)}; code=$?; stty sane; echo "stopped with $code"; read -r line; fg; echo "ended with $?"`,
      );
      const pid = await question(session, 1);
      session.type('half of');
      await setTimeout(100);
      process.kill(pid, 'SIGTSTP');
      await session.shows(/stopped with \d+/);
      session.type('seen by the shell\r');
      await session.shows(/Question 1 [\s\S]*Question 1 of/);
      session.type('all of it\r');
      await session.shows(/ended with 0/);
      expect(result().answers).to.deep.equal([hex('all of it')]);
      expect(session.output)
        .to.contain('seen by the shell')
        .and.not.to.match(/half of|all of/);
    });

    const endingSignals = ['SIGINT', 'SIGQUIT', 'SIGXCPU'] as const;
    for (const signal of endingSignals) {
      it(`ends on ${signal} while waiting, and restores the terminal`, async () => {
        const session = start(
          `before=$(stty -g); ${promptScript(2)} </dev/null >/dev/null 2>&1; [ "$before" = "$(stty -g)" ] && echo restored`,
        );
        await question(session, 1);
        session.type('first\r');
        process.kill(await question(session, 2), signal);
        await session.ended();
        expect(result().answers).to.deep.equal([
          hex('first'),
          `No passphrase was entered: ${signal} ended the prompt.`,
        ]);
        expect(session.output).to.contain('restored');
      });
    }

    it('continues after a SIGHUP that the process handles itself', async () => {
      const session = start(promptScript(1, 'hear SIGHUP'));
      process.kill(await question(session, 1), 'SIGHUP');
      await setTimeout(100);
      session.type('after it\r');
      await session.ended();
      expect(result().answers).to.deep.equal([hex('after it')]);
    });

    it('restores the terminal when the process exits during a prompt', async () => {
      const session = start(
        `before=$(stty -g); ${promptScript(2, 'exit')} </dev/null >/dev/null 2>&1; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo restored`,
      );
      await question(session, 1);
      session.type('first\r');
      await session.ended();
      expect(session.output).to.contain('code 5').and.to.contain('restored');
      expect(existsSync(folder.path('result'))).to.equal(false);
    });

    it('ends when its terminal is closed, also where SIGHUP is answered otherwise', async () => {
      const session = start(promptScript(1, 'hear SIGHUP'));
      await question(session, 1);
      session.close();
      while (!existsSync(folder.path('result'))) await setTimeout(10);
      expect(result().answers.join()).to.match(/^No passphrase was entered: (?:SIGHUP ended|the terminal was closed)/);
    });

    it('refuses to prompt on a device that is not a terminal', async () => {
      for (const device of ['/dev/null', folder.file('file', 'content\n'), folder.path('missing')]) {
        const refusal = await new TerminalPassphrase(device).readPassphrase('?').catch((error: unknown) => error);
        expect(refusal, device).to.be.instanceOf(OperatorError);
      }
      expect(readFileSync(folder.path('file'), 'utf8')).to.equal('content\n');
    });

    it('leaves no trace of typed and of removed input in the memory of the process', async () => {
      const [typed, taken] = [0, 1].map(() => randomBytes(12).toString('hex'));
      const session = start(nodeCommand('passphrase/fixtures/hold-passphrase', []));
      await session.shows(/Passphrase: /);
      session.type(`${typed}\x15${taken}\r`);
      const [, pid] = await session.shows(/freed by (\d+)\./);
      const secrets = [typed, taken].flatMap((text) => formsOf(Buffer.from(String(text))));
      const found = searchProcessMemory(Number(pid), [{ name: 'input', secrets }]);
      session.close();
      await hasEnded(Number(pid));
      expect(found).to.deep.equal([]);
    }).timeout(120_000);
  });
}

/** Waits until a process has ended, reaped or not. */
async function hasEnded(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}/exe`)) await setTimeout(10);
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
