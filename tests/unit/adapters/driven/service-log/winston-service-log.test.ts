import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import type { ServiceLogLevel } from '../../../../../src/adapters/driven/service-log/service-log-line.ts';
import { WinstonServiceLog } from '../../../../../src/adapters/driven/service-log/winston-service-log.ts';

/** A log and what it has written so far. */
function makeLog(level: ServiceLogLevel = 'info', pretty = false, colour = false) {
  const stream = new PassThrough({ encoding: 'utf8' });
  const log = new WinstonServiceLog(level, { pretty, colour, stream });
  const written = () => String(stream.read() ?? '');
  return { log, stream, written };
}

/** The one event that `facts` make on the log. */
function eventWith(facts: { readonly [name: string]: unknown }) {
  const { log, written } = makeLog();
  log.info('Something happened.', facts);
  const lines = written().split('\n');
  expect(lines).to.have.length(2);
  expect(lines[1]).to.equal('');
  return JSON.parse(lines[0] ?? '');
}

describe('WinstonServiceLog', () => {
  it('writes one JSON object a line: time, level, message, facts', () => {
    const { log, written } = makeLog();
    log.info('Listening.', { host: '127.0.0.1', port: 8080 });
    log.warn('The certificate expires soon.');
    const [first, second, rest] = written().split('\n');
    expect(rest).to.equal('');
    const { time, ...event } = JSON.parse(first ?? '');
    expect(event).to.deep.equal({ level: 'info', message: 'Listening.', facts: { host: '127.0.0.1', port: 8080 } });
    expect(Object.keys(JSON.parse(first ?? ''))).to.deep.equal(['time', 'level', 'message', 'facts']);
    expect(new Date(time).toISOString()).to.equal(time);
    expect(Math.abs(Date.now() - Date.parse(time))).to.be.below(60_000);
    expect(JSON.parse(second ?? '')).to.include({ level: 'warn', message: 'The certificate expires soon.' });
    expect(JSON.parse(second ?? '')).not.to.have.property('facts');
  });

  it('writes what is as grave as its level or graver', () => {
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

  it('shows errors with name, message and stack, and their causes', () => {
    const root = new TypeError('root');
    const cause = new Error('outer', { cause: new RangeError('middle', { cause: root }) });
    const { facts } = eventWith({ cause });
    expect(facts.cause).to.include({ name: 'Error', message: 'outer', stack: cause.stack });
    expect(facts.cause.cause).to.include({ name: 'RangeError', message: 'middle' });
    expect(facts.cause.cause.cause).to.deep.equal({ name: 'TypeError', message: 'root', stack: root.stack });
  });

  it('shows a cause that is no error', () => {
    expect(eventWith({ cause: new Error('outer', { cause: 'a text' }) }).facts.cause.cause).to.equal('a text');
  });

  it('shows nothing else of an error, which may hold what a caller sent', () => {
    const error = Object.assign(new SyntaxError('Unexpected token'), { body: 'what a caller sent' });
    expect(JSON.stringify(eventWith({ cause: error }))).not.to.include('what a caller sent');
  });

  it('shows of bytes only how many they are', () => {
    const { facts } = eventWith({ a: Uint8Array.of(1, 2, 3), b: Buffer.from('secret'), c: new ArrayBuffer(4) });
    expect(facts).to.deep.equal({ a: '[3 bytes]', b: '[6 bytes]', c: '[4 bytes]' });
  });

  it('keeps facts apart from its own fields', () => {
    const names = { time: 1, level: 'error', message: 'other', timestamp: 't', stack: 's', cause: 'c', splat: ['%s'] };
    const { level, message, facts } = eventWith(names);
    expect({ level, message, facts }).to.deep.equal({ level: 'info', message: 'Something happened.', facts: names });
  });

  it('survives odd facts', () => {
    const circular: Record<string, unknown> = { name: 'circle' };
    circular['self'] = circular;
    const { facts } = eventWith({
      circular,
      big: 12n,
      none: undefined,
      nan: Number.NaN,
      symbol: Symbol('s'),
      run: () => 1,
      date: new Date(0),
      wrongDate: new Date(Number.NaN),
      map: new Map([['a', 1]]),
      set: new Set([1]),
      bare: Object.assign(Object.create(null), { a: 1 }),
      getter: {
        get broken() {
          throw new Error('from the getter');
        },
        fine: 1,
      },
      toJSON: () => {
        throw new Error('from toJSON');
      },
      proxy: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('from the proxy');
          },
        },
      ),
    });
    expect(facts).to.deep.equal({
      circular: { name: 'circle', self: '[shown before]' },
      big: '12',
      none: null,
      nan: 'NaN',
      symbol: 'Symbol(s)',
      run: '[function]',
      date: '1970-01-01T00:00:00.000Z',
      wrongDate: 'null',
      map: [['a', 1]],
      set: [1],
      bare: { a: 1 },
      getter: { broken: '[unreadable]', fine: 1 },
      toJSON: '[function]',
      proxy: '[unreadable]',
    });
  });

  it('bounds how deep and how wide it looks', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const wide = Array.from({ length: 100_000 }, (_, index) => index);
    const { facts } = eventWith({ deep, wide });
    expect(JSON.stringify(facts.deep)).to.equal('[[[[["[too deep]"]]]]]');
    expect(facts.wide).to.have.length(100);
  });

  it('shows an error that was passed in place of facts', () => {
    const { log, written } = makeLog();
    log.error('It failed.', new Error('passed directly') as never);
    expect(JSON.parse(written()).facts).to.include({ name: 'Error', message: 'passed directly' });
  });

  it('stays on one line and steers no terminal, in either form', () => {
    const hostile = 'a\nb\u2028c\u0085d\u001b[2Je\u009bf\u202eg';
    for (const pretty of [false, true]) {
      const { log, written } = makeLog('info', pretty);
      log.info(hostile, { [hostile]: hostile });
      expect(written()).to.match(/^[\x20-\x7e]+\n$/);
    }
  });

  it('is not stopped by a reader that went away', async () => {
    const { log, stream } = makeLog();
    stream.destroy(new Error('EPIPE'));
    log.info('Nobody reads this.');
    await nextTurn();
    log.error('Nor this.');
    await nextTurn();
  });

  it('writes for people when asked to', () => {
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

  it('paints lines for people where colours are wanted, and says the same in them', () => {
    const [plain, painted] = [false, true].map((colour) => {
      const { log, written } = makeLog('info', true, colour);
      log.info('Listening.', { host: '127.0.0.1', note: '\u001b[2J' });
      log.warn('Bare.');
      return written().replace(/\d{4}-[\d:.T-]+Z/g, 'TIME');
    });
    expect(painted).to.include('\u001b[32mINFO ').and.to.include('\u001b[33mWARN ');
    expect(stripVTControlCharacters(painted ?? '')).to.equal(plain);
    expect(plain).to.include('\\u001b[2J');
    expect(plain).not.to.include('\u001b');
  });

  it('paints no JSON', () => {
    const { log, written } = makeLog('info', false, true);
    log.info('Listening.');
    expect(written()).not.to.include('\u001b');
  });

  it('writes to standard output, completely, also when the process ends at once', () => {
    // As many as the socket between parent and child holds while the parent is slow to read.
    const script = `
      import { WinstonServiceLog } from ${JSON.stringify(new URL('../../../../../src/adapters/driven/service-log/winston-service-log.ts', import.meta.url).href)};
      const log = new WinstonServiceLog('info');
      for (let n = 0; n < 100; n += 1) log.info('event', { n });
      process.exit(3);
    `;
    const child = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(child.stderr).to.equal('');
    expect(child.status).to.equal(3);
    const numbers = child.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).facts.n);
    expect(numbers).to.deep.equal(Array.from({ length: 100 }, (_, index) => index));
  });
});
