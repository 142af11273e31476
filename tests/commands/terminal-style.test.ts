import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { commandInProcess, PIPES, terminalOf } from '../harness/command-in-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const ESCAPE = '\u001b';

describe('Output style', () => {
  const place = useWorkplace(['platform add --platform alpha --format any --algorithm ed25519']);
  /** A terminal, whatever the tests run in. */
  const plain = { TERM: 'xterm-256color' };
  const list = ['account', 'list'];

  const shown = (args: readonly string[], outputs = PIPES, environment: { readonly [name: string]: string } = plain) =>
    commandInProcess({ ...place.environment, ...environment }, args, outputs);

  before(async () => {
    for (const [id, alias] of [
      ['main', '币安 main'],
      ['disabled-one', 'An alias of some forty letters and more'],
    ] as const) {
      await place.prepare('account', 'add', '--platform', 'alpha', '--account', id, '--alias', alias);
    }
    await place.prepare('account', 'disable', '--platform', 'alpha', '--account', 'disabled-one');
  });

  describe('colours', () => {
    const hasColour = async (...requested: Parameters<typeof shown>) =>
      (await shown(...requested)).stdout.includes(ESCAPE);

    it('are used only on a terminal', async () => {
      expect(await hasColour(list, terminalOf(200))).to.equal(true);
      expect(await hasColour(list)).to.equal(false);
    });

    it('are disabled by NO_COLOR, TERM=dumb and --no-color', async () => {
      expect(await hasColour(list, terminalOf(200), { ...plain, NO_COLOR: '1' })).to.equal(false);
      expect(await hasColour(list, terminalOf(200), { TERM: 'dumb' })).to.equal(false);
      expect(await hasColour([...list, '--no-color'], terminalOf(200))).to.equal(false);
      expect(await hasColour(['--no-color', ...list], terminalOf(200))).to.equal(false);
    });

    it('are enabled by FORCE_COLOR and --color; options take precedence', async () => {
      expect(await hasColour(list, PIPES, { FORCE_COLOR: '1' })).to.equal(true);
      expect(await hasColour(list, PIPES, { FORCE_COLOR: '0' })).to.equal(false);
      expect(await hasColour([...list, '--color'])).to.equal(true);
      expect(await hasColour([...list, '--color'], PIPES, { NO_COLOR: '1' })).to.equal(true);
      expect(await hasColour([...list, '--no-color'], PIPES, { FORCE_COLOR: '1' })).to.equal(false);
      expect(await hasColour([...list, '--color', '--no-color'])).to.equal(false);
    });

    it('carry no extra information: the text is the same without them', async () => {
      for (const args of [list, ['--help'], ['account', 'add', '--help'], ['platform', 'presets'], ['doctor']]) {
        const coloured = await shown([...args, '--color']);
        expect(stripVTControlCharacters(coloured.stdout), args.join(' ')).to.equal((await shown(args)).stdout);
        expect(coloured.stdout, args.join(' ')).to.include(ESCAPE);
      }
    });

    it('mark states and errors', async () => {
      const { stdout } = await shown([...list, '--color']);
      expect(stdout).to.include('\u001b[32mactive\u001b[39m').and.include('\u001b[33mdisabled\u001b[39m');
      for (const wrong of [['accunt'], ['account', 'enable', '--platform', 'alpha', '--account', 'unknown']]) {
        const { stderr } = await shown([...wrong, '--color']);
        expect(stderr.startsWith('\u001b[31merror:\u001b[39m ')).to.equal(true);
        expect((await shown(wrong)).stderr).to.match(/^error: /);
      }
      const { stdout: findings } = await shown(['doctor', '--color']);
      expect(findings).to.include('\u001b[32mok       \u001b[39msettings ');
    });

    it('are not used in JSON', async () => {
      const { stdout } = await shown([...list, '--json', '--color'], terminalOf(80));
      expect(JSON.parse(stdout).total).to.equal(2);
    });
  });

  describe('tables', () => {
    const widthOf = (line: string) =>
      [...line].reduce((width, character) => width + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);

    it('fit a terminal', async () => {
      const { stdout } = await shown([...list, '--no-color'], terminalOf(80));
      const lines = stdout.trimEnd().split('\n');
      expect(lines).to.have.lengthOf(3);
      for (const line of lines) expect(widthOf(line), line).to.be.at.most(80);
      expect(lines[1])
        .to.include('main')
        .and.include('active')
        .and.match(/\w…\w+$/);
    });

    it('are not truncated in a pipe, with --wide or with --json', async () => {
      const whole = (await shown(list)).stdout;
      expect(whole).to.include('An alias of some forty letters and more').and.not.include('…');
      expect((await shown([...list, '--wide', '--no-color'], terminalOf(40))).stdout).to.equal(whole);
      const { accounts } = JSON.parse((await shown([...list, '--json'], terminalOf(40))).stdout);
      expect(whole).to.include(accounts[0].publicKey).and.include(accounts[1].publicKey);
    });
  });

  it('sentences wrap between words on a terminal, and stay on one line in a pipe', async () => {
    const enable = ['account', 'enable', '--platform', 'alpha', '--account', 'main'];
    const onTerminal = (await shown([...enable, '--no-color'], terminalOf(60))).stdout;
    const piped = (await shown(enable)).stdout;
    for (const line of onTerminal.split('\n')) expect(line.length).to.be.at.most(60);
    expect(onTerminal.replaceAll('\n', ' ')).to.equal(piped.replaceAll('\n', ' '));
    expect(piped.split('\n')).to.have.lengthOf(3);
  });
});
