import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../src/app/settings/settings.ts';
import { dockerfileCommand } from '../e2e/start-options.ts';
import { installedProgram } from '../programs/installed-program.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** Values of a systemd unit in order, by `Service.ExecStart`. */
type UnitFile = ReadonlyMap<string, readonly string[]>;

/** Parses a unit or drop-in; an empty value resets previous ones, see systemd.unit(5). */
function readUnit(text: string): UnitFile {
  const values = new Map<string, readonly string[]>();
  let section = '';
  for (const line of text.split('\n')) {
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    const [, key, value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const name = `${section}.${key}`;
    values.set(name, value === '' ? [] : [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** Variables of `Environment=NAME=value NAME=value`. */
function environmentOf(unit: UnitFile): { readonly [name: string]: string } {
  const assignments = (unit.get('Service.Environment') ?? []).flatMap((line) => line.split(' '));
  return Object.fromEntries(assignments.map((assignment) => assignment.split(/=(.*)/s, 2)));
}

const FOLDER = join(PROJECT_ROOT, 'deploy/systemd');
const UNIT = 'signing-service.service';
const DROP_INS = readdirSync(join(FOLDER, `${UNIT}.d`));

/** Path of systemd-analyze, if any. */
const ANALYZE = installedProgram('systemd-analyze');

/**
 * Maximum exposure of `systemd-analyze security`, in tenths; systemd 252 finds 1.0 for the network,
 * the machine's root file system, and node's JIT memory.
 */
const HIGHEST_EXPOSURE = 12;

/** Confinement with systemd's strictest values; the unit explains exceptions. */
const CONFINEMENT = {
  NoNewPrivileges: 'yes',
  CapabilityBoundingSet: undefined,
  AmbientCapabilities: undefined,
  UMask: '0077',
  LimitCORE: '0',
  MemorySwapMax: '0',
  RestrictSUIDSGID: 'yes',
  PrivateUsers: 'yes',
  ProtectSystem: 'strict',
  ProtectHome: 'yes',
  PrivateTmp: 'yes',
  PrivateDevices: 'yes',
  PrivateIPC: 'yes',
  PrivateMounts: 'yes',
  ProtectProc: 'invisible',
  ProcSubset: 'pid',
  ProtectHostname: 'yes',
  ProtectClock: 'yes',
  ProtectControlGroups: 'yes',
  ProtectKernelLogs: 'yes',
  ProtectKernelModules: 'yes',
  ProtectKernelTunables: 'yes',
  RemoveIPC: 'yes',
  NoExecPaths: '/',
  RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX',
  IPAddressDeny: 'any',
  SystemCallArchitectures: 'native',
  RestrictNamespaces: 'yes',
  RestrictRealtime: 'yes',
  LockPersonality: 'yes',
};

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

describe(`deploy/systemd/${UNIT}`, () => {
  const unit = readUnit(read(UNIT));
  const value = (key: string) => unit.get(`Service.${key}`)?.at(-1);
  const credentialNames = (file: string) =>
    [...read(file).matchAll(/^#? ?LoadCredential(?:Encrypted)?=([\w-]+):/gm)].map(([, name]) => name);

  it('starts the same program as the image, with the same options', () => {
    const [program = '', ...options] = (value('ExecStart') ?? '').split(' ');
    const [, ...expected] = dockerfileCommand('CMD ');
    expect(program).to.equal(`${value('WorkingDirectory')}/node`);
    expect(options).to.deep.equal(expected);
    expect(value('Type')).to.equal('exec');
    expect(value('ExecReload')).to.match(/ -HUP \$MAINPID$/);
  });

  for (const file of [UNIT, ...DROP_INS.map((name) => `${UNIT}.d/${name}`)]) {
    it(`${file} has valid settings, and loads only credentials that the service reads`, () => {
      const environment = { ...environmentOf(unit), ...environmentOf(readUnit(read(file))) };
      const settings = readSettings({ ...environment, CREDENTIALS_DIRECTORY: '/credentials' }, () => true);
      expect(settings.production).to.equal(true);
      const handedOver = [settings.masterKeyFile, settings.auditKeyFile, settings.auth.keyFile];
      for (const name of credentialNames(file)) expect(handedOver).to.include(`/credentials/${name}`);
    });
  }

  it('loads the two keys that the service requires to start', () => {
    expect(unit.get('Service.LoadCredential')?.map((line) => line.split(':')[0])).to.deep.equal([
      'master-key',
      'audit-key',
    ]);
    for (const line of unit.get('Service.LoadCredential') ?? []) {
      expect(unit.get('Service.InaccessiblePaths')).to.include(dirname(line.split(':')[1] ?? ''));
    }
  });

  it('allows writing only the audit file, in the state directory', () => {
    const { auditFile } = readSettings(environmentOf(unit));
    expect(dirname(auditFile)).to.equal(`/var/lib/${value('StateDirectory')}`);
    expect(unit.get('Service.ReadWritePaths')).to.equal(undefined);
  });

  it('allows a stop the time that docs/operators/monitor.md documents', () => {
    const { drainDelayMs, auditTimeoutMs } = readSettings(environmentOf(unit));
    const sum = (drainDelayMs + 6000 + 2.25 * auditTimeoutMs + 1000) / 1000;
    expect(Number(value('TimeoutStopSec'))).to.be.at.least(sum);
  });

  it('allows the networks that the service allows by default', () => {
    const names: { readonly [name: string]: readonly string[] } = {
      localhost: ['127.0.0.0/8', '::1'],
      'link-local': ['169.254.0.0/16', 'fe80::/10'],
    };
    const networks = (value('IPAddressAllow') ?? '').split(' ').flatMap((name) => names[name] ?? [name]);
    expect(networks.sort()).to.deep.equal([...readSettings({}).networks.allowed.networks].sort());
  });

  it('restricts the process to the minimum it needs', () => {
    const found = Object.fromEntries(Object.keys(CONFINEMENT).map((key) => [key, value(key)]));
    expect(found).to.deep.equal(CONFINEMENT);
    expect(unit.get('Service.CapabilityBoundingSet')).to.deep.equal([]);
    expect(unit.get('Service.SystemCallFilter')).to.deep.equal(['@system-service', '~@privileged @resources']);
  });

  it('lets the auditors group read the audit files, but not the configuration', () => {
    expect(read('signing-service.sysusers.conf')).to.match(new RegExp(`^g ${value('Group')} `, 'm'));
    expect(value('StateDirectoryMode')).to.equal('0750');
    expect(read('signing-service.tmpfiles.conf')).to.not.match(new RegExp(`^[^#].* ${value('Group')} `, 'm'));
  });

  it('uses the user from its sysusers file and the folders from its tmpfiles file', () => {
    expect(read('signing-service.sysusers.conf')).to.match(new RegExp(`^u ${value('User')} `, 'm'));
    const made = [...read('signing-service.tmpfiles.conf').matchAll(/^d (\S+) +(\d+) root (\S+) /gm)];
    expect(made.map(([, path, mode, group]) => [path, mode, group])).to.deep.equal([
      ['/etc/signing', '0750', value('SupplementaryGroups')],
      ['/etc/signing/secret', '0700', 'root'],
      ['/etc/signing/tls', '0750', value('SupplementaryGroups')],
    ]);
  });

  if (ANALYZE === undefined) {
    process.stdout.write('systemd-analyze is not there: what it says of the unit is left out.\n');
    return;
  }
  const analyze = (...args: readonly string[]) => spawnSync(ANALYZE, args, { encoding: 'utf8' });

  describe('checked by systemd-analyze', () => {
    const root = mkdtempSync(join(tmpdir(), 'signing-service-unit-'));
    const folder = join(root, 'etc/systemd/system');
    const verify = () => {
      const { status, stdout, stderr } = analyze('verify', `--root=${root}`, '--man=no', '--recursive-errors=no', UNIT);
      return { status, output: `${stdout}${stderr}` };
    };

    before(() => {
      mkdirSync(join(folder, `${UNIT}.d`), { recursive: true });
      for (const program of ['opt/signing-service/node', 'bin/kill']) {
        mkdirSync(dirname(join(root, program)), { recursive: true });
        writeFileSync(join(root, program), '#!/bin/true\n', { mode: 0o755 });
      }
      for (const file of [UNIT, ...DROP_INS.map((name) => `${UNIT}.d/${name}`)]) {
        copyFileSync(join(FOLDER, file), join(folder, file));
      }
    });
    after(() => rmSync(root, { recursive: true }));

    it('verifies without issues, with all its drop-ins', () => {
      expect(verify()).to.deep.equal({ status: 0, output: '' });
    });

    it('fails verification for an unknown key (control)', () => {
      writeFileSync(join(folder, `${UNIT}.d/planted.conf`), '[Service]\nProtectSystm=strict\n');
      expect(verify().output).to.include("Unknown key 'ProtectSystm'");
      rmSync(join(folder, `${UNIT}.d/planted.conf`));
    });

    it('stays below the exposure threshold', () => {
      const rate = (file: string) =>
        analyze('security', '--offline=true', `--threshold=${HIGHEST_EXPOSURE}`, '--no-pager', file);
      expect(rate(join(FOLDER, UNIT)).status).to.equal(0);
      const open = join(root, 'open.service');
      writeFileSync(open, '[Service]\nExecStart=/bin/kill\n');
      expect(rate(open).status).to.not.equal(0);
    });
  });
});
