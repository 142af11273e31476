import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { PRIVATE_NETWORKS } from '../../src/adapters/driving/http/networks/private-networks.ts';
import { STATUS_OF_CODE } from '../../src/adapters/driving/http/status-of-code.ts';
import { SETTING_NAMES } from '../../src/composition/setting-schema.ts';
import { readSettings } from '../../src/composition/settings.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

function read(file: string): string {
  return readFileSync(join(REPOSITORY, file), 'utf8');
}

/** Cells of the table rows in which the first cell is code. */
function codeRows(text: string): readonly (readonly string[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) =>
    row
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
      .slice(1, -1),
  );
}

describe('Documentation', () => {
  const documents = [
    ...readdirSync(REPOSITORY).filter((file) => file.endsWith('.md')),
    ...readdirSync(join(REPOSITORY, 'docs'), { recursive: true })
      .map((file) => join('docs', String(file)))
      .filter((file) => file.endsWith('.md')),
  ];

  for (const document of documents) {
    it(`${document} links only to files that are there`, () => {
      const targets = [...read(document).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
      const missing = targets
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(resolve(REPOSITORY, dirname(document), target)));
      expect(missing).to.deep.equal([]);
    });
  }

  it('decisions are numbered without a gap, and begin with their number', () => {
    const files = readdirSync(join(REPOSITORY, 'docs/decisions')).toSorted();
    for (const [index, file] of files.entries()) {
      expect(file.slice(0, 5)).to.equal(`${String(index + 1).padStart(4, '0')}-`);
      expect(read(`docs/decisions/${file}`).startsWith(`# ${index + 1}. `), file).to.equal(true);
    }
  });

  it('docs/THREAT_MODEL.md names tests that are there', () => {
    const commands = [...read('docs/THREAT_MODEL.md').matchAll(/`npx mocha ([^`]+)`/g)].map(([, files = '']) => files);
    expect(commands).to.have.length.above(6);
    const files = readdirSync(join(REPOSITORY, 'tests'), { recursive: true }).map((file) => `tests/${file}`);
    const missing = commands
      .flatMap((command) => command.split(' '))
      .filter((pattern) => !files.some((file) => new RegExp(`^${pattern.replaceAll('*', '[^/]*')}$`).test(file)));
    expect(missing).to.deep.equal([]);
  });

  it('the README lists every setting, in order, and no other', () => {
    const rows = codeRows(read('README.md')).filter(([name = '']) => name.startsWith('SIGNING_'));
    expect(rows.map(([name]) => name)).to.deep.equal(SETTING_NAMES);
  });

  it('the README gives the defaults that the service has', () => {
    const defaults = new Map(codeRows(read('README.md')).map(([name = '', text = '']) => [name, text]));
    const settings = readSettings({});
    expect(defaults.get('SIGNING_HOST')).to.equal(settings.host);
    expect(defaults.get('SIGNING_PORT')).to.equal(String(settings.port));
    expect(defaults.get('SIGNING_CREDENTIALS_FILE')).to.equal(settings.credentialsFile);
    expect(defaults.get('SIGNING_MASTER_KEY_FILE')).to.include(settings.masterKeyFile);
    expect(defaults.get('SIGNING_AUDIT_FILE')).to.equal(settings.auditFile);
    expect(defaults.get('SIGNING_AUDIT_KEY_FILE')).to.include(settings.auditKeyFile);
    expect(defaults.get('SIGNING_AUDIT_TIMEOUT_MS')).to.equal(String(settings.auditTimeoutMs));
    expect(defaults.get('SIGNING_AUDIT_ROTATE_BYTES')).to.equal(String(settings.auditRotateBytes));
    expect(defaults.get('SIGNING_AUDIT_ROTATE_HOURS')).to.equal(String(settings.auditRotateHours));
    expect(defaults.get('SIGNING_AUDIT_KEEP_FILES')).to.equal(String(settings.auditKeepFiles));
    expect(defaults.get('SIGNING_LOG_LEVEL')).to.equal(settings.logLevel);
    expect(defaults.get('SIGNING_MAX_BATCH')).to.equal(String(settings.maxBatch));
    expect(defaults.get('SIGNING_MAX_IN_FLIGHT')).to.equal(String(settings.maxInFlight));
    expect(defaults.get('SIGNING_MAX_QUEUE')).to.equal(String(settings.maxQueue));
    expect(defaults.get('SIGNING_DRAIN_DELAY_MS')).to.equal(String(settings.drainDelayMs));
    expect(settings.networks.allowed.networks).to.deep.equal(PRIVATE_NETWORKS);
    expect(defaults.get('SIGNING_ALLOWED_NETWORKS')).to.equal('private');
    expect(defaults.get('SIGNING_RATE_LIMIT_PER_CALLER')).to.equal('0');
    expect(defaults.get('SIGNING_RATE_LIMIT_PER_ACCOUNT')).to.equal('0');
    expect(settings.rateLimits).to.deep.equal({ perCaller: null, perAccount: null });
    expect(defaults.get('SIGNING_WATCH')).to.equal(String(settings.watch));
    expect(defaults.get('SIGNING_MEMORY_LOCK')).to.equal(settings.memoryLock);
    expect(defaults.get('SIGNING_KEY_REFRESH_SECONDS')).to.equal(String(settings.keyRefreshSeconds));
    expect(defaults.get('SIGNING_VERIFY_SIGNATURES')).to.equal(String(settings.verifySignatures));
    expect(defaults.get('SIGNING_ALLOW_PLAINTEXT_KEYS')).to.equal(String(settings.allowPlaintextKeys));
  });

  it('docs/API.md lists every error code with its status', () => {
    const rows = codeRows(read('docs/API.md')).filter(
      ([code = '']) => Object.hasOwn(STATUS_OF_CODE, code) || /^[A-Z]+_[A-Z_]+$/.test(code),
    );
    const documented = new Map(rows.map(([code = '', status = '']) => [code, Number(status)]));
    expect(Object.fromEntries(documented)).to.deep.equal(STATUS_OF_CODE);
  });

  it('docs/ARCHITECTURE.md names the files of a signature in the order in which they are numbered', () => {
    const numbers = [...read('docs/ARCHITECTURE.md').matchAll(/^(\d+)\. \[/gm)].map(([, number]) => Number(number));
    expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
    expect(numbers.length).to.be.greaterThan(5);
  });
});
