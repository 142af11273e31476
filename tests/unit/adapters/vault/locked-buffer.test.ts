import { expect } from 'chai';
import { LockedBuffer, withLockedBytes } from '../../../../src/adapters/vault/locked-buffer.ts';
import { runFixture } from '../secret-files/child-process.ts';

describe('LockedBuffer', () => {
  it('starts with zeros and keeps its content between uses', () => {
    const buffer = new LockedBuffer(48);
    expect(buffer.use((bytes) => bytes.equals(Buffer.alloc(48)))).to.equal(true);
    buffer.use((bytes) => bytes.fill(0xa5));
    expect(buffer.use((bytes) => bytes.equals(Buffer.alloc(48, 0xa5)))).to.equal(true);
    buffer.free();
  });

  it('rejects a nested use, and returns the result of the outer one', () => {
    const buffer = new LockedBuffer(1);
    const after = buffer.use((bytes) => {
      bytes[0] = 9;
      expect(() => buffer.use(() => 0)).to.throw('already in use');
      return bytes[0];
    });
    expect(after).to.equal(9);
    expect(buffer.useAndWipe((bytes) => bytes[0])).to.equal(9);
    buffer.free();
  });

  it('rejects an action that returns a promise or another thenable', () => {
    const buffer = new LockedBuffer(1);
    const thenable = Object.fromEntries([['then', () => undefined]]);
    expect(() => buffer.use(async () => 1)).to.throw(TypeError, 'synchronously');
    expect(() => buffer.use(() => thenable)).to.throw(TypeError, 'synchronously');
    buffer.free();
  });

  it('is zeroed after useAndWipe, even if the action throws or returns a promise', () => {
    const buffer = new LockedBuffer(32);
    const endings: readonly (() => unknown)[] = [
      () => 'returns',
      () => {
        throw new Error('throws');
      },
      async () => 'promises',
    ];
    for (const ending of endings) {
      try {
        buffer.useAndWipe((bytes) => {
          bytes.fill(0xff);
          return ending();
        });
      } catch {
        // Only memory contents matter.
      }
      expect(buffer.use((bytes) => bytes.equals(Buffer.alloc(32)))).to.equal(true);
    }
    buffer.free();
  });

  describe('with keepAccessible', () => {
    it('can be used many times, keeps its content, and is wiped on request', () => {
      const buffer = new LockedBuffer(4);
      const seen = buffer.keepAccessible(() => {
        buffer.use((bytes) => bytes.fill(7));
        const kept = buffer.use((bytes) => bytes[0]);
        buffer.useAndWipe((bytes) => bytes.fill(8));
        return [kept, buffer.use((bytes) => bytes[0])];
      });
      expect(seen).to.deep.equal([7, 0]);
      expect(buffer.use((bytes) => bytes.length)).to.equal(4);
      buffer.free();
    });

    it('rejects nested calls, calls in a use and promises; works again after an error', () => {
      const buffer = new LockedBuffer(1);
      expect(() => buffer.keepAccessible(() => buffer.keepAccessible(() => 0))).to.throw('already in use');
      expect(() => buffer.use(() => buffer.keepAccessible(() => 0))).to.throw('already in use');
      expect(() => buffer.keepAccessible(async () => 1)).to.throw(TypeError, 'synchronously');
      expect(buffer.keepAccessible(() => 'again')).to.equal('again');
      buffer.free();
    });

    it('is zeroed immediately if freed during the call, and inaccessible afterwards', () => {
      const buffer = new LockedBuffer(2);
      const kept = buffer.use((bytes) => bytes);
      buffer.keepAccessible(() => {
        buffer.use((bytes) => bytes.fill(9));
        buffer.free();
        expect([...kept]).to.deep.equal([0, 0]);
        expect(() => buffer.use(() => 0)).to.throw('freed');
      });
      expect(kept.length).to.equal(0);
    });
  });

  it('can be freed twice and refuses any use afterwards', () => {
    const buffer = new LockedBuffer(8);
    const kept = buffer.use((bytes) => bytes);
    buffer.free();
    buffer.free();
    expect(kept.length, 'the memory is detached').to.equal(0);
    expect(() => buffer.use(() => 0)).to.throw('was freed');
    expect(() => buffer.useAndWipe(() => 0)).to.throw('was freed');
  });

  it('zeroes the bytes immediately if freed during a use, and releases them afterwards', () => {
    const buffer = new LockedBuffer(8);
    const kept = buffer.use((bytes) => {
      bytes.fill(0xff);
      buffer.free();
      expect(bytes.equals(Buffer.alloc(8))).to.equal(true);
      return bytes;
    });
    expect(kept.length).to.equal(0);
    expect(() => buffer.use(() => 0)).to.throw('was freed');
  });

  it('terminates the process if its bytes are read outside a use', () => {
    const child = runFixture('vault/fixtures/read-without-access', []);
    expect(child.stdout).to.equal('reading');
    expect(child.signal).to.equal('SIGSEGV');
  });

  it('rejects a length that sodium would truncate, or that is not positive', () => {
    for (const length of [0, -1, 1.5, Number.NaN, 2 ** 30 + 1, 2 ** 32 + 32]) {
      expect(() => new LockedBuffer(length), String(length)).to.throw(RangeError, '1 to 1073741824 bytes');
    }
  });

  it('rejects unlockable memory, names the limit, and explains how to raise it or do without', () => {
    const child = runFixture('vault/fixtures/lock-unprivileged', ['1'], 'ulimit -l 0');
    expect(child.stdout)
      .to.contain('Memory for keys cannot be locked')
      .and.to.contain('ulimit -l 65536')
      .and.to.contain('SIGNING_MEMORY_LOCK=warn');
    // Linux reports the limit.
    if (process.platform === 'linux') expect(child.stdout).to.contain('(limit: 0 bytes)');
  });

  it('releases locked memory immediately, so the limit applies only to memory in use', () => {
    const child = runFixture('vault/fixtures/lock-unprivileged', ['1000'], 'ulimit -l 256');
    expect(child.stdout).to.equal('locked 1000 times');
  });
});

// Only Linux reports a process's pages.
if (process.platform === 'linux') {
  describe('the pages of a LockedBuffer, as the kernel sees them', () => {
    const life = { kept: 40_000, freed: 0, afterwards: 'unmapped' };

    it('are locked, excluded from core dumps, accessible only in use, and zeroed at free()', () => {
      const child = runFixture('vault/fixtures/watch-pages', ['locked']);
      expect(JSON.parse(child.stdout)).to.deep.equal({
        idle: '---p locked',
        inUse: 'rw-p locked',
        held: ['---p locked', 'rw-p locked', '---p locked'],
        ...life,
      });
    });

    it('behave the same, except for the lock, if unlocked memory is allowed', () => {
      const child = runFixture('vault/fixtures/watch-pages', ['unlocked'], 'ulimit -l 0');
      expect(JSON.parse(child.stdout)).to.deep.include({ idle: '---p not locked', inUse: 'rw-p not locked', ...life });
    });
  });
}

describe('withLockedBytes', () => {
  it('passes zeros of the given length, returns the result, and frees the memory, also if the action throws', () => {
    let kept: Buffer = Buffer.alloc(1);
    const result = withLockedBytes(33, (bytes) => {
      expect(bytes.equals(Buffer.alloc(33))).to.equal(true);
      kept = bytes.fill(1);
      return 'result';
    });
    expect(result).to.equal('result');
    expect(kept.length).to.equal(0);
    const fail = (bytes: Buffer) => {
      kept = bytes;
      throw new Error('from the action');
    };
    expect(() => withLockedBytes(16, fail)).to.throw('from the action');
    expect(kept.length).to.equal(0);
  });
});

interface Outcome {
  readonly before: string;
  readonly allowed: string;
  readonly after: string;
  readonly lent: number;
  readonly keeps: boolean;
  readonly warnings: readonly string[];
}

describe('allowUnlockedMemory', () => {
  it('works with memory that cannot be locked, reports it once, and still after later locks succeed', () => {
    // Room for the one-page buffers only.
    const { warnings, ...outcome } = outcomeUnder('ulimit -l 4');
    expect(outcome).to.deep.equal({ before: 'locked', allowed: 'locked', after: 'unlocked', lent: 20, keeps: true });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('ulimit -l 65536').and.to.contain('SIGNING_MEMORY_LOCK=warn');
    if (process.platform === 'linux') expect(warnings[0]).to.contain('(limit: 4096 bytes)');
  });

  it('changes nothing if memory can be locked', () => {
    expect(outcomeUnder('ulimit -l 256')).to.deep.equal({
      before: 'locked',
      allowed: 'locked',
      after: 'locked',
      lent: 20,
      keeps: true,
      warnings: [],
    });
  });
});

function outcomeUnder(limit: string): Outcome {
  const child = runFixture('vault/fixtures/go-on-unlocked', [], limit);
  expect(child.status, child.stderr).to.equal(0);
  return JSON.parse(child.stdout) as Outcome;
}
