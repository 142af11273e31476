import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ServiceLogLevel } from '../../../../src/adapters/observability/throttled-log.ts';
import { loggable, WinstonServiceLog } from '../../../../src/adapters/observability/winston-service-log.ts';

const MODULE = import.meta.resolve('../../../../src/adapters/observability/winston-service-log.js');

/** Characters that control a terminal, or end or reorder a line. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A log and its output. */
function makeLog(level: ServiceLogLevel = 'info', pretty = false, colour = false) {
  const stream = new PassThrough({ encoding: 'utf8' });
  const log = new WinstonServiceLog(level, { pretty, colour, stream });
  const written = () => String(stream.read() ?? '');
  return { log, stream, written };
}

/** Node options of a program that does this with its log. */
function programWith(action: string): readonly string[] {
  const script = `
    import { WinstonServiceLog } from ${JSON.stringify(MODULE)};
    const log = new WinstonServiceLog('info');
    ${action}
  `;
  return ['--input-type=module', '--eval', script];
}

/** Exit and messages of such a program. */
function runWith(action: string) {
  const { stdout, ...end } = spawnSync(process.execPath, programWith(action), { encoding: 'utf8', maxBuffer: 1e9 });
  const messages: readonly string[] = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).message);
  return { messages, ...end };
}

/** The only event that `facts` produce. */
function eventWith(facts: { readonly [name: string]: unknown }) {
  const { log, written } = makeLog();
  log.info('Something happened.', facts);
  const lines = written().split('\n');
  expect(lines).to.have.length(2);
  expect(lines[1]).to.equal('');
  return JSON.parse(lines[0] ?? '');
}

describe('WinstonServiceLog', () => {
  it('writes one JSON object per line: time, level, message, facts', () => {
    const { log, written } = makeLog();
    const before = Date.now();
    log.info('Listening.', { host: '127.0.0.1', port: 8080 });
    log.warn('The certificate expires soon.');
    const [first, second, rest] = written().split('\n');
    expect(rest).to.equal('');
    const { time, ...event } = JSON.parse(first ?? '');
    expect(event).to.deep.equal({ level: 'info', message: 'Listening.', facts: { host: '127.0.0.1', port: 8080 } });
    expect(Object.keys(JSON.parse(first ?? ''))).to.deep.equal(['time', 'level', 'message', 'facts']);
    expect(new Date(time).toISOString()).to.equal(time);
    expect(Date.parse(time)).to.be.within(before, Date.now());
    expect(JSON.parse(second ?? '')).to.include({ level: 'warn', message: 'The certificate expires soon.' });
    expect(JSON.parse(second ?? '')).not.to.have.property('facts');
  });

  it('writes events at or above its level', () => {
    const written: readonly (readonly [ServiceLogLevel, readonly string[]])[] = [
      ['error', ['error']],
      ['warn', ['warn', 'error']],
      ['info', ['info', 'warn', 'error']],
    ];
    for (const [level, expected] of written) {
      const { log, written } = makeLog(level);
      log.info('i');
      log.warn('w');
      log.error('e');
      const lines = written().split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).level)).to.deep.equal(expected);
    }
  });

  it('shows errors with name, message, stack and causes', () => {
    const root = new TypeError('root');
    const cause = new Error('outer', { cause: new RangeError('middle', { cause: root }) });
    const { facts } = eventWith({ cause });
    expect(facts.cause).to.include({ name: 'Error', message: 'outer', stack: cause.stack });
    expect(facts.cause.cause).to.include({ name: 'RangeError', message: 'middle' });
    expect(facts.cause.cause.cause).to.deep.equal({ name: 'TypeError', message: 'root', stack: root.stack });
    expect(eventWith({ cause: new Error('outer', { cause: 'a text' }) }).facts.cause.cause).to.equal('a text');
  });

  it('survives unusual facts', () => {
    const circular: Record<string, unknown> = { name: 'circle' };
    circular['self'] = circular;
    const fail = () => {
      throw new Error('on reading');
    };
    const { facts } = eventWith({
      ...{ circular, big: 12n, none: undefined, nan: Number.NaN, symbol: Symbol('s'), run: () => 1 },
      ...{ date: new Date(0), wrongDate: new Date(Number.NaN), map: new Map([['a', 1]]), set: new Set([1]) },
      getter: Object.defineProperty({ fine: 1 }, 'broken', { enumerable: true, get: fail }),
      proxy: new Proxy({}, { ownKeys: fail }),
      toJSON: fail,
    });
    expect(facts).to.deep.equal({
      ...{ circular: { name: 'circle', self: '[repeated]' }, big: '12', none: null, nan: 'NaN', symbol: 'Symbol(s)' },
      ...{ run: '[function]', date: '1970-01-01T00:00:00.000Z', wrongDate: 'null', map: [['a', 1]], set: [1] },
      ...{ getter: { fine: 1, broken: '[unreadable]' }, proxy: '[unreadable]', toJSON: '[function]' },
    });
  });

  it('bounds depth and width', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const wide = Array.from({ length: 100_000 }, (_, index) => index);
    const { facts } = eventWith({ deep, wide });
    expect(JSON.stringify(facts.deep)).to.equal('[[[[["[too deep]"]]]]]');
    expect(facts.wide).to.have.length(100);
  });

  it('stays on one line without control characters, in either format', () => {
    const hostile = 'a\nb\u2028c\u0085d\u001b[2Je\u009bf\u202eg';
    for (const pretty of [false, true]) {
      const { log, written } = makeLog('info', pretty);
      log.info(hostile, { [hostile]: hostile });
      expect(written()).to.match(/^[\x20-\x7e]+\n$/);
    }
  });

  it('writes human-readable lines on request', () => {
    const { log, written } = makeLog('info', true);
    log.info('Listening.', { host: '127.0.0.1', port: 8080, note: 'two words', list: [1, 'a'] });
    log.error('It failed.', { cause: new Error('outer', { cause: new TypeError('inner') }) });
    log.warn('Bare.');
    const [first, second, third] = written().split('\n');
    expect(first).to.match(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO {2}Listening\. host=127\.0\.0\.1 port=8080 note="two words" list=\[1,"a"\]$/,
    );
    expect(second).to.match(
      /Z ERROR It failed\. cause=\{"name":"Error","message":"outer","cause":\{"name":"TypeError","message":"inner"\}\}$/,
    );
    expect(third).to.match(/Z WARN {2}Bare\.$/);
  });

  it('writes one safe JSON line for any message and facts', () => {
    const anyText = fc.oneof(
      fc.string(),
      // The unit `binary` of fast-check takes a second or more to set up.
      fc.array(fc.nat(0x10_ffff)).map((points) => String.fromCodePoint(...points)),
      fc.constantFrom('"', '\\', '\u0000', '\n', '\u0085', '\u2028', '\u202e', '\ud800', '😀', '__proto__', '0'),
    );
    const anyValue = fc.oneof(anyText, fc.anything({ maxDepth: 2, maxKeys: 3 }));
    const { log, written } = makeLog();
    fc.assert(
      fc.property(anyText, fc.dictionary(anyText, anyValue, { maxKeys: 4 }), (message, facts) => {
        log.info(message, facts);
        const lines = written().split('\n');
        expect(lines).to.have.length(2);
        expect(lines[0]).not.to.match(UNSAFE);
        const { time, ...event } = JSON.parse(lines[0] ?? '');
        expect(JSON.stringify(event)).to.equal(JSON.stringify({ level: 'info', message, facts: loggable(facts) }));
      }),
      { numRuns: 60 },
    );
  });

  it('redacts facts, whose names replace no field of the event', () => {
    const { log, written } = makeLog();
    const cause = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { body: 'what a caller sent' });
    log.info('Listening.', { key: Buffer.from('secret'), text: 'a\nb\u2028c' });
    log.error('It failed.', { cause, message: 'of the facts', level: 'debug' });
    const text = written();
    const lines = text.split('\n').slice(0, -1);
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first.facts).to.deep.equal({ key: '[6 bytes]', text: 'a\nb\u2028c' });
    expect(second).to.include({ level: 'error', message: 'It failed.' });
    expect(second.facts).to.include({ message: 'of the facts', level: 'debug' });
    expect(second.facts.cause).to.deep.include({ name: 'Error', message: 'outer', stack: cause.stack });
    expect(second.facts.cause.cause).to.include({ name: 'TypeError', message: 'inner' });
    expect(text).not.to.match(/secret|what a caller sent|\u2028/);
  });

  it('loses no line when the process ends in the same tick', () => {
    const ends: readonly (readonly [action: string, status: number | null])[] = [
      ['process.exit(3);', 3],
      ["setImmediate(() => { log.info('last'); throw new Error('unforeseen'); });", 1],
      ["process.kill(process.pid, 'SIGKILL');", null],
    ];
    for (const [action, expected] of ends) {
      const { messages, status } = runWith(`for (let n = 0; n < 3; n += 1) log.info('event ' + n); ${action}`);
      expect(status, action).to.equal(expected);
      expect(messages, action).to.include.ordered.members(['event 0', 'event 1', 'event 2']);
      if (action.includes('last')) expect(messages.at(-1), action).to.equal('last');
    }
  });

  it('loses no line to a slow pipe', () => {
    const { messages } = runWith(
      "const text = 'x'.repeat(1000); for (let n = 0; n < 3000; n += 1) log.info(n + text);",
    );
    expect(messages.map((message) => Number.parseInt(message, 10))).to.deep.equal(
      Array.from({ length: 3000 }, (_, n) => n),
    );
  });

  it('survives a closed pipe, and drops its lines', () => {
    const action = `
      const text = 'x'.repeat(10_000);
      for (let n = 0; n < 10; n += 1) {
        for (let line = 0; line < 100; line += 1) log.info(text);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      process.stderr.write(String(process.stdout.writableLength));
      process.exit(0);
    `;
    const command = ['sh', '-c', '"$@" | head -n 1 > /dev/null', 'sh', process.execPath, ...programWith(action)];
    const { stderr } = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
    expect(stderr).to.equal('0');
  });
});
