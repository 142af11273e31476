import { execFileSync, spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { DoctorFinding } from '../../src/adapters/cli/cli-context.ts';
import { FILE_ROWS } from '../../src/app/doctor/files.ts';
import { runRows } from '../../src/app/doctor/rows.ts';
import { readServiceSettings } from '../../src/app/settings/settings.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { runCommand } from '../harness/run-command.ts';
import { Workplace } from '../harness/service-process.ts';

/** A user, its group and its other groups, for setpriv. */
const asUser = (uid: number, gid: number, groups = '') => [
  ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`],
  groups === '' ? '--clear-groups' : `--groups=${groups}`,
];

const SERVICE = 54_001;
const AUDITORS = 54_002;
/** The group that reads the configuration of the unit. */
const SIGNING = 54_003;
const STRANGER = 54_005;
const AS_ROOT = ['env'];
const CLI = 'signing-service ';
const AUDITOR = asUser(54_004, 54_004, String(AUDITORS));
const FINDER = fileURLToPath(new URL('./fixtures/find-files.js', import.meta.url));

/** Where `init` and the first start put them. */
const OF_A_FOLDER = {
  SIGNING_CREDENTIALS_FILE: 'config/credentials.json',
  SIGNING_MASTER_KEY_FILE: 'config/master.key',
  SIGNING_AUDIT_KEY_FILE: 'config/audit.key',
  SIGNING_AUDIT_FILE: 'var/audit/audit.jsonl',
};

/** An installation as the documentation describes it, in a folder. */
interface Layout {
  /** Launcher of the service. */
  readonly service: readonly string[];
  /** Commands that make it of the files in `$MODEL`. */
  readonly build: string;
  /** Settings of the service; those that name a file have its name in the folder. */
  readonly files: { readonly [setting: string]: string };
  /** Other settings with which root runs commands, if it does. */
  readonly rootFiles?: { readonly [setting: string]: string };
  readonly hasAuditors: boolean;
  /** A check, and commands after which it finds something to repair. */
  readonly faults: readonly (readonly [check: string, commands: string])[];
}

const LAYOUTS: { readonly [name: string]: Layout } = {
  // docs/operators/deploy.md, deploy/systemd and docs/operators/audit-log.md.
  'the systemd unit': {
    service: asUser(SERVICE, AUDITORS, String(SIGNING)),
    build: `
      install -d -m 0750 -g ${SIGNING} etc/signing etc/signing/tls
      install -d -m 0700 etc/signing/secret
      install -m 0600 $MODEL/*.key etc/signing/secret
      install -m 0640 -g ${SIGNING} $MODEL/credentials.json etc/signing
      install -m 0640 -g ${SIGNING} $MODEL/tls.key etc/signing/tls
      install -m 0644 $MODEL/tls.crt etc/signing/tls
      install -d -m 0500 -o ${SERVICE} -g ${AUDITORS} run
      install -m 0400 -o ${SERVICE} -g ${AUDITORS} $MODEL/master.key run/master-key
      install -m 0400 -o ${SERVICE} -g ${AUDITORS} $MODEL/audit.key run/audit-key
      install -d -m 0750 -o ${SERVICE} -g ${AUDITORS} var/signing
      install -m 0640 -o ${SERVICE} -g ${AUDITORS} $MODEL/audit.*.jsonl var/signing
      ln var/signing/audit.*.jsonl var/signing/audit.jsonl`,
    files: {
      CREDENTIALS_DIRECTORY: 'run',
      SIGNING_CREDENTIALS_FILE: 'etc/signing/credentials.json',
      SIGNING_AUDIT_FILE: 'var/signing/audit.jsonl',
      SIGNING_TLS_CERT_FILE: 'etc/signing/tls/tls.crt',
      SIGNING_TLS_KEY_FILE: 'etc/signing/tls/tls.key',
    },
    rootFiles: {
      SIGNING_MASTER_KEY_FILE: 'etc/signing/secret/master.key',
      SIGNING_AUDIT_KEY_FILE: 'etc/signing/secret/audit.key',
    },
    hasAuditors: true,
    faults: [
      ['credentials-file', 'chmod 666 etc/signing/credentials.json'],
      // As `init` creates it.
      ['credentials-file', 'chown 0:0 etc/signing/credentials.json; chmod 600 etc/signing/credentials.json'],
      ['credentials-file', 'chown 0:0 etc/signing/credentials.json; chmod 644 etc/signing/credentials.json'],
      ['credentials-file', `chown ${STRANGER}:${STRANGER} etc/signing/credentials.json`],
      ['credentials-file', 'rm etc/signing/credentials.json'],
      ['credentials-file', 'chmod 777 etc/signing'],
      ['credentials-file', `chown ${STRANGER} etc/signing`],
      ['tls-key-file', 'chmod 644 etc/signing/tls/tls.key'],
      ['audit-file', 'chmod 644 var/signing/audit.*.jsonl'],
      ['audit-file', `chown ${STRANGER} var/signing/audit.*.jsonl`],
      ['audit-file', 'chown 0 var/signing; chmod 770 var/signing'],
      ['audit-file', `chown ${STRANGER} var/signing`],
    ],
  },
  // Dockerfile and docs/operators/audit-log.md.
  'a container with folders of the host': {
    service: asUser(SERVICE, SERVICE),
    build: `
      install -d -m 0755 -o ${SERVICE} -g ${SERVICE} config
      install -m 0600 -o ${SERVICE} -g ${SERVICE} $MODEL/credentials.json $MODEL/*.key config
      install -d -m 2750 -o ${SERVICE} -g ${AUDITORS} var var/audit
      install -m 0640 -o ${SERVICE} -g ${AUDITORS} $MODEL/audit.*.jsonl var/audit
      ln var/audit/audit.*.jsonl var/audit/audit.jsonl`,
    files: OF_A_FOLDER,
    hasAuditors: true,
    faults: [
      ['master-key', 'chmod 644 config/master.key'],
      ['audit-key', 'chown 0:0 config/audit.key'],
      ['credentials-file', 'chmod 777 config'],
      ['audit-file', 'chmod 770 var/audit'],
    ],
  },
  // deploy/kubernetes: volumes of root, and fsGroup.
  'volumes of Kubernetes': {
    service: asUser(SERVICE, SERVICE),
    build: `
      install -d -m 3777 -g ${SERVICE} config
      install -d -m 0755 -g ${SERVICE} config/..2026_11_30
      install -m 0440 -g ${SERVICE} $MODEL/credentials.json $MODEL/*.key config/..2026_11_30
      ln -s ..2026_11_30 config/..data
      ln -s ..data/credentials.json ..data/master.key ..data/audit.key config
      install -d -m 2775 -g ${SERVICE} var
      install -m 0600 -o ${SERVICE} -g ${SERVICE} $MODEL/audit.*.jsonl var
      ln var/audit.*.jsonl var/audit.jsonl`,
    files: { ...OF_A_FOLDER, SIGNING_AUDIT_FILE: 'var/audit.jsonl' },
    hasAuditors: false,
    // The volume of the audit file, as it is mounted.
    faults: [['audit-file', 'true']],
  },
  // `init` in a clone.
  'a folder of one user': {
    service: asUser(SERVICE, SERVICE),
    build: `
      install -d -m 0700 -o ${SERVICE} -g ${SERVICE} config var var/audit
      install -m 0600 -o ${SERVICE} -g ${SERVICE} $MODEL/credentials.json $MODEL/*.key config
      install -m 0600 -o ${SERVICE} -g ${SERVICE} $MODEL/audit.*.jsonl var/audit
      ln var/audit/audit.*.jsonl var/audit/audit.jsonl`,
    files: OF_A_FOLDER,
    hasAuditors: false,
    faults: [
      ['audit-key', 'chmod 640 config/audit.key'],
      ['master-key', `chown ${STRANGER}:${STRANGER} config/master.key`],
      ['credentials-file', 'chmod 770 config'],
      ['credentials-file', 'rm config/credentials.json'],
      ['audit-file', `chown ${STRANGER} var/audit; chmod 755 var/audit`],
    ],
  },
};

// Only root can become the users of the layouts.
if (process.geteuid?.() === 0) {
  describe('Remedies of doctor', () => {
    const model = new Workplace();
    before(async () => {
      await model.prepare('init');
      await (await model.startHere()).stop();
      run(AS_ROOT, `cp ${TEST_CERTIFICATE.certFile} tls.crt && cp ${TEST_CERTIFICATE.keyFile} tls.key`, model.folder);
    });
    after(() => model.remove());

    for (const [name, layout] of Object.entries(LAYOUTS)) {
      describe(`keep ${name} working`, () => {
        let place: Workplace;
        let service: ReturnType<typeof startFinder>;

        before(() => {
          place = new Workplace();
          chmodSync(place.folder, 0o755);
          delete place.environment['SIGNING_MASTER_KEY_FILE'];
          delete place.environment['SIGNING_AUDIT_KEY_FILE'];
          Object.assign(place.environment, { NODE_ENV: 'production', ...settingsOf(layout.files) });
          place.launcher = layout.service;
          run(AS_ROOT, layout.build, place.folder, { MODEL: model.folder });
          service = startFinder(place);
        });
        after(async () => {
          service.end();
          await place.remove();
        });

        const settingsOf = (files: Layout['files']) =>
          Object.fromEntries(Object.entries(files).map(([setting, file]) => [setting, place.path(file)]));

        const isFor = (check: string) => (finding: DoctorFinding) => finding.check === check && finding.state !== 'ok';
        const runAsRoot = (command: string) =>
          runCommand({ ...place.environment, ...settingsOf(layout.rootFiles ?? {}) }, ...toArguments(command));

        /** Runs the commands of remedies: those for root, and all where the service has no login. */
        async function repair(findings: readonly DoctorFinding[], isRoot = layout.rootFiles !== undefined) {
          const remedy = findings.map((finding) => finding.remedy).join();
          for (const [, command = ''] of remedy.matchAll(/`([^`]+)`/g)) {
            const isForRoot = isRoot || remedy.includes(' as root');
            if (!command.startsWith(CLI)) run(isForRoot ? AS_ROOT : layout.service, command, place.folder);
            else if (isForRoot) await runAsRoot(command);
            else await place.done(...toArguments(command));
          }
        }

        async function expectToWork(check: string): Promise<void> {
          const found = await service.find();
          expect(found.filter(({ state }) => state === 'fail')).to.deep.equal([]);
          expect(found.filter(isFor(check))).to.deep.equal([]);
          if (layout.rootFiles !== undefined) await runAsRoot(`${CLI}platform list`);
          if (!layout.hasAuditors) return;
          const { SIGNING_AUDIT_FILE: file = '', SIGNING_CREDENTIALS_FILE: credentials } = layout.files;
          const seen = run(AUDITOR, `ls ${dirname(file)}; cat ${file}; ! cat ${credentials} 2>&1`, place.folder);
          expect(seen).to.match(/^audit\.\d+\.jsonl\naudit\.jsonl\n{"v":.*Permission denied/s);
        }

        for (const [check, commands] of layout.faults) {
          it(`after ${commands}`, async () => {
            run(AS_ROOT, commands, place.folder);
            const found = (await service.find()).filter(isFor(check));
            expect(found).to.have.length(1);
            await repair(found);
            // What `init` creates for root is not yet readable for the service.
            if (commands.startsWith('rm ')) await repair((await service.find()).filter(isFor(check)));
            await expectToWork(check);
          });
        }

        it('after what root sees of these', async () => {
          for (const [check, commands] of layout.faults) {
            if (commands.startsWith('rm ')) continue;
            run(AS_ROOT, commands, place.folder);
            const settings = readServiceSettings({ ...place.environment, ...settingsOf(layout.rootFiles ?? {}) });
            const found = (await runRows(FILE_ROWS, { settings, now: Date.now() })).filter(isFor(check));
            await repair(found, true);
            if (!found.some(({ remedy }) => remedy?.includes('`')))
              await repair((await service.find()).filter(isFor(check)));
            await expectToWork(check);
          }
        });

        it('so that the service starts, and continues its audit log', async () => {
          await (await place.start()).stop();
        });
      });
    }
  }).timeout(60_000);
}

function toArguments(command: string): readonly string[] {
  return command.slice(CLI.length).split(' ');
}

/** A process of the user of the service that checks files. */
function startFinder({ folder, environment, launcher }: Workplace) {
  const [program = '', ...args] = [...launcher, process.execPath, FINDER];
  const child = spawn(program, args, { cwd: folder, env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async find(): Promise<readonly DoctorFinding[]> {
      child.stdin.write('\n');
      return JSON.parse((await lines.next()).value);
    },
    end: () => child.stdin.end(),
  };
}

/** Runs shell commands; returns their output. */
function run(launcher: readonly string[], commands: string, cwd: string, environment: object = {}): string {
  const [program = '', ...args] = [...launcher, 'sh', '-ec', commands];
  const env = { PATH: process.env['PATH'], ...environment };
  return execFileSync(program, args, { cwd, env, encoding: 'utf8' });
}
