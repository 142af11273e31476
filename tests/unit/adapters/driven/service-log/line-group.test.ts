import { spawnSync } from 'node:child_process';
import { EOL } from 'node:os';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { WinstonServiceLog } from '../../../../../src/adapters/driven/service-log/winston-service-log.ts';

/** A log whose lines are written together, and each piece that was written so far. */
function makeLog() {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (piece: string, _encoding, done) => {
      pieces.push(piece);
      done();
    },
  });
  return { log: new WinstonServiceLog('info', { stream, grouped: true }), pieces };
}

const messagesIn = (piece: string | undefined) =>
  (piece ?? '')
    .split(EOL)
    .slice(0, -1)
    .map((line) => JSON.parse(line).message);

/** What a program writes that has this log and does this with it. */
function outputOf(action: string) {
  const module = new URL('../../../../../src/adapters/driven/service-log/winston-service-log.ts', import.meta.url).href;
  const script = `
    import { WinstonServiceLog } from ${JSON.stringify(module)};
    const log = new WinstonServiceLog('info', { grouped: true });
    ${action}
  `;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e9 });
  return { messages: messagesIn(stdout), status };
}

describe('A service log whose lines are written together', () => {
  it('writes those of one turn in one piece, in their order, when it is over', async () => {
    const { log, pieces } = makeLog();
    log.info('first');
    log.info('second', { fact: 1 });
    await Promise.resolve().then(() => log.info('third'));
    expect(pieces).to.deep.equal([]);
    await nextTurn();
    expect(pieces.map(messagesIn)).to.deep.equal([['first', 'second', 'third']]);
    log.info('fourth');
    await nextTurn();
    expect(pieces.map(messagesIn)).to.deep.equal([['first', 'second', 'third'], ['fourth']]);
  });

  it('writes what is graver at once, behind what came before', () => {
    const { log, pieces } = makeLog();
    log.info('before');
    log.error('grave');
    expect(pieces.flatMap(messagesIn)).to.deep.equal(['before', 'grave']);
    log.info('between');
    log.warn('less grave');
    expect(pieces.flatMap(messagesIn)).to.deep.equal(['before', 'grave', 'between', 'less grave']);
  });

  it('holds no more than 64 Ki characters', () => {
    const { log, pieces } = makeLog();
    const text = 'x'.repeat(1000);
    for (let n = 0; n < 100; n += 1) log.info(text);
    expect(pieces).to.have.lengthOf(1);
    expect(pieces[0]?.length).to.be.within(65_536, 67_000);
  });

  it('loses no line when the process ends in the same turn, however that comes', () => {
    const ends: readonly (readonly [action: string, status: number])[] = [
      ['process.exit(3);', 3],
      ['process.exitCode = 4;', 4],
      ["setImmediate(() => { log.info('last'); throw new Error('unforeseen'); });", 1],
      [
        "process.on('uncaughtException', () => process.exit(5)); queueMicrotask(() => { throw new Error('unforeseen'); });",
        5,
      ],
      ["process.on('exit', () => log.info('last'));", 0],
    ];
    for (const [action, expected] of ends) {
      const { messages, status } = outputOf(`for (let n = 0; n < 3; n += 1) log.info('event ' + n); ${action}`);
      expect(status, action).to.equal(expected);
      expect(messages, action).to.include.ordered.members(['event 0', 'event 1', 'event 2']);
      if (action.includes('last')) expect(messages.at(-1), action).to.equal('last');
    }
  });

  it('loses none where the reader of a pipe is slow', () => {
    const action = "const text = 'x'.repeat(1000); for (let n = 0; n < 3000; n += 1) log.info(n + text);";
    const { messages } = outputOf(action);
    expect(messages.map((message: string) => Number.parseInt(message, 10))).to.deep.equal(
      Array.from({ length: 3000 }, (_, n) => n),
    );
  });
});
