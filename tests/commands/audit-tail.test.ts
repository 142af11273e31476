import { expect } from 'chai';
import { AuditChain } from '../doubles/audit-chain.ts';
import { sampleAuditEntry } from '../doubles/sample-audit-entry.ts';
import { Workplace } from '../harness/service-process.ts';

describe('audit tail', () => {
  const place = new Workplace();
  const NOBODY = { platformId: null, accountId: null } as const;
  /** Names of the records, each in its correlation ID. */
  const RECORDS = {
    main: {},
    other: { platformId: 'beta', outcome: 'refused' },
    hedge: { accountId: 'hedge', outcome: 'failed' },
    nameless: { ...NOBODY, outcome: 'refused' },
    start: { ...NOBODY, event: 'start' },
    reload: { ...NOBODY, event: 'reload', outcome: 'failed' },
    read: { event: 'read', outcome: 'refused' },
    status: { ...NOBODY, event: 'status', outcome: 'refused' },
  } as const;

  before(() => {
    const chain = new AuditChain();
    for (const [correlationId, fields] of Object.entries(RECORDS)) {
      chain.append(sampleAuditEntry({ ...fields, correlationId }));
    }
    chain.write(place.path('audit.jsonl'));
  });
  after(() => place.remove());

  for (const [args, kept] of [
    ['--account main', ['main', 'other', 'read']],
    ['--account beta/main --account hedge', ['other', 'hedge']],
    ['--account alpha/nobody --account null --account null/null --account alpha', []],
    ['--outcome refused', ['other', 'nameless', 'read', 'status']],
    ['--outcome refused --outcome failed', ['other', 'hedge', 'nameless', 'reload', 'read', 'status']],
    ['--event start --event read', ['start', 'read']],
    ['--event sign --event reload --outcome failed', ['hedge', 'reload']],
    ['--event sign --event start --account hedge', ['hedge', 'start']],
    ['--lines 2', ['read', 'status']],
  ] as const) {
    it(`${args} shows ${kept.join(', ') || 'nothing'}`, async () => {
      const { stdout } = await place.commandHere('audit', 'tail', '--json', '--no-follow', ...args.split(' '));
      const lines = stdout.split('\n').slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).correlationId)).to.deep.equal(kept);
    });
  }

  for (const [args, message] of [
    [['--since', 'yesterday'], /--since .* must be a time such as/],
    [['--outcome', 'success', '--outcome', 'lost'], /choices are success, refused, failed/],
    [['--event', 'signed'], /choices are start, stop, sign, dry-run, verify, reload, read, status, segment/],
    [['--lines', '1.5'], /must be an integer from 0/],
    [['--since', '1h', '--lines', '3'], /cannot be used with/],
    [['missing.jsonl', '--no-follow'], /missing\.jsonl does not exist/],
    [['.', '--no-follow'], /is a folder; give the path of a file/],
  ] as const) {
    it(`refuses ${args.join(' ')}`, async () => {
      const { exitCode, stdout, stderr } = await place.commandHere('audit', 'tail', ...args);
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(message);
    });
  }
});
