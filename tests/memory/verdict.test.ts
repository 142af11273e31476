import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { MemorySearch, Trace } from '../process-memory/search.ts';
import { type Secret, secretOf, secretsOfKey } from '../process-memory/secrets.ts';
import type { KnownAccount } from './accounts.ts';
import type { Leak } from './leaks.ts';
import { findControlFailures, findServiceFailures } from './verdict.ts';

describe('The verdict of the memory test', () => {
  const key = randomBytes(32);
  const account: KnownAccount = {
    name: 'ed25519 hex',
    accountId: 'ed25519-hex',
    algorithm: 'ed25519',
    key,
    publicKey: 'public',
    secrets: secretsOfKey('ed25519 hex', 'ed25519', key),
    publicKeySecret: secretOf('public key of ed25519 hex', 'public key', randomBytes(32)),
  };
  const auditKey = secretsOfKey('audit key', 'ed25519', randomBytes(32));
  const masterKey = secretOf('master key', 'master key', randomBytes(32));

  function traceOf(secret: Secret | undefined, form: string): Trace {
    if (secret === undefined) throw new Error('There is no such secret.');
    return { secret, form, part: 0, address: 0x1234, place: 'rw-p [heap]' };
  }

  function searchWith(traces: readonly Trace[], unreadable: MemorySearch['unreadable'] = []): MemorySearch {
    return { traces, unreadable, patternCount: 1, searchedBytes: 1, withoutAccessBytes: 0, unusedBytes: 0 };
  }

  const seen = traceOf(account.publicKeySecret, 'text');

  describe('on the real service', () => {
    const evidence = (search: MemorySearch) => ({
      accounts: [account],
      secrets: [...account.secrets, masterKey],
      auditKey,
      examinations: [{ moment: 'after the start', search }],
    });

    it('has no failure if only public keys were found', () => {
      const unreadable = [{ place: 'r--p [vvar]', bytes: 4096, reason: "the kernel's own" }];
      expect(findServiceFailures(evidence(searchWith([seen], unreadable)))).to.deep.equal([]);
    });

    it('reports each trace with time, owner, secret, form and location', () => {
      const hex = traceOf(account.secrets[0], 'hex lower');
      const traces = [seen, hex, traceOf(masterKey, 'raw'), { ...hex, part: 1, address: 0x1244 }];
      expect(findServiceFailures(evidence(searchWith(traces)))).to.deep.equal([
        'after the start: ed25519 hex, private key: hex lower in rw-p [heap], 2 times, first at 0x1234',
        'after the start: master key, master key: raw in rw-p [heap], 1 times, first at 0x1234',
      ]);
    });

    it('allows the audit key in one inaccessible page, and reports every other trace of it', () => {
      const held = { ...traceOf(auditKey[0], 'raw'), place: '---p anonymous' };
      expect(findServiceFailures(evidence(searchWith([seen, held])))).to.deep.equal([]);
      const strays = [traceOf(auditKey[0], 'raw'), traceOf(auditKey[0], 'hex lower')];
      expect(findServiceFailures(evidence(searchWith([seen, held, ...strays])))).to.deep.equal([
        'after the start: audit key, private key: raw in rw-p [heap], 1 times, first at 0x1234',
        'after the start: audit key, private key: hex lower in rw-p [heap], 1 times, first at 0x1234',
      ]);
      // No other key.
      const master = { ...traceOf(masterKey, 'raw'), place: '---p anonymous' };
      expect(findServiceFailures(evidence(searchWith([seen, master])))).to.have.length(1);
    });

    it('is a failure if a public key was not found', () => {
      const [issue, ...more] = findServiceFailures(evidence(searchWith([])));
      expect(more).to.deep.equal([]);
      expect(issue).to.match(/^after the start: the public key of ed25519 hex was not seen/);
    });

    it('is a failure if some of the memory could not be read', () => {
      const unreadable = [{ place: '---p anonymous', bytes: 8192, reason: undefined }];
      const [issue, ...more] = findServiceFailures(evidence(searchWith([seen], unreadable)));
      expect(more).to.deep.equal([]);
      expect(issue).to.match(/^after the start: 8192 bytes at ---p anonymous could not be read\./);
    });
  });

  describe('on the controls', () => {
    const evidence = (expected: readonly string[], search: MemorySearch) => {
      const leak: Leak = { name: 'hex digits', algorithm: 'ed25519', expected };
      return { controls: [{ leak, account }], search };
    };

    it('has no failure if every expected form was found', () => {
      const traces = [traceOf(account.secrets[0], 'hex lower'), traceOf(account.secrets[0], 'raw')];
      expect(findControlFailures(evidence(['private key: hex lower'], searchWith(traces)))).to.deep.equal([]);
    });

    it('reports an expected form that was not found, even if another form was', () => {
      const traces = [traceOf(account.secrets[0], 'raw')];
      expect(
        findControlFailures(evidence(['private key: hex lower', 'private key: raw'], searchWith(traces))),
      ).to.deep.equal(['control ed25519 hex: the search did not find private key: hex lower']);
    });

    it('reports a leak of which nothing was found', () => {
      expect(findControlFailures(evidence(['private key: hex lower'], searchWith([])))).to.deep.equal([
        'control ed25519 hex: the search did not find private key: hex lower',
      ]);
    });

    it('reports a trace of a key that does not leak', () => {
      const traces = [traceOf(account.secrets[0], 'raw')];
      expect(findControlFailures(evidence([], searchWith(traces)))).to.deep.equal([
        'control ed25519 hex: found private key: raw',
      ]);
    });
  });
});
