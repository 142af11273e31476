import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sectionOf, shellBlocks } from '../architecture/shell-blocks.ts';
import { type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';
import { until } from '../redis/until.ts';

/** User and group of the pods in deploy/kubernetes/statefulset.yaml. */
const USER = 10_001;
const IS_ROOT = process.getuid?.() === 0;

/**
 * Stands in for kubectl and the kubelet, which mounts a version of a secret as a folder, moves the
 * link `..data` to it by a rename, and removes the previous one. The files are links through
 * `..data`. As with `fsGroup` and `defaultMode: 0440`, they belong to root and the service's group.
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/volume/util/atomic_writer.go
 */
const KUBECTL = `#!/bin/sh
set -eu
[ "$1" = -n ] || exec xargs "$0"
case $* in *--dry-run*) echo "$*" | sed 's/ --dry-run.*//'; exit ;; esac
folder=mounts/$6 version=..$(date +%Y_%m_%d_%H_%M_%S.%N)
shift 6
mkdir -p "$folder/$version"
for from; do
  pair=\${from#--from-file=}
  key=\${pair%%=*}
  install -m ${IS_ROOT ? '0440' : '0400'} "\${pair#*=}" "$folder/$version/\${key##*/}"
done
${IS_ROOT ? `chgrp -R ${USER} "$folder/$version"` : ''}
cd "$folder"
previous=$(readlink ..data || true)
ln -s "$version" ..data_tmp
mv -T ..data_tmp ..data
for file in ..data/*; do [ -L "\${file#..data/}" ] || ln -s "$file" "\${file#..data/}"; done
[ -z "$previous" ] || rm -r "$previous"
`;

const [prepare = '', create = ''] = blocks('deploy', '### With Kubernetes');
const [rotate = '', deployCredentials = '', retire = ''] = blocks('keys', '## Rotating the master key');
const deployKeys = retire.split('\n').find((line) => line.startsWith('kubectl')) ?? '';

/** Commands of a section for a clone and kubectl. */
function blocks(page: string, heading: string): readonly string[] {
  const section = sectionOf(readProjectFile(`docs/operators/${page}.md`), heading);
  return shellBlocks(section).filter((text) => /kubectl|dist\/cli\.js/.test(text));
}

describe('The guide for the master key in Kubernetes', function () {
  this.timeout(60_000);
  const place = new Workplace({ NODE_ENV: 'production', SIGNING_WATCH: 'true' });
  let service: ServiceProcess;

  const paste = (commands: string) =>
    execFileSync('sh', ['-euc', commands], {
      cwd: place.folder,
      encoding: 'utf8',
      env: {
        PATH: `${place.path('bin')}:${process.env['PATH']}`,
        SIGNING_CREDENTIALS_FILE: 'keys/credentials.json',
        SIGNING_MASTER_KEY_FILE: 'keys/master.key',
      },
    });

  /** IDs of the keyring of which the secret is made, the first one first. */
  const ids = (): readonly string[] =>
    JSON.parse(paste('node dist/cli.js master-key status --json')).keys.map(({ id }: { readonly id: string }) => id);

  const sign = async () =>
    (await service.post('/sign', { platformId: 'my-exchange', accountId: 'main', data: {} })).status;

  /** Master keys of each `Credentials loaded.` so far. */
  const loaded = () =>
    [...service.process.stdout.matchAll(/"Credentials loaded\.".*"masterKeyIds":(\[[^\]]*\])\}\}$/gm)].map(
      ([, list = '']) => JSON.parse(list),
    );

  before(async () => {
    for (const folder of ['bin', 'audit']) mkdirSync(place.path(folder));
    writeFileSync(place.path('bin/kubectl'), KUBECTL, { mode: 0o755 });
    symlinkSync(process.execPath, place.path('bin/node'));
    symlinkSync(join(PROJECT_ROOT, 'dist'), place.path('dist'));
    paste(prepare);
    for (const line of create.split('\n')) if (line.includes(' secret generic ')) paste(line);
    Object.assign(place.environment, {
      SIGNING_CREDENTIALS_FILE: place.path('mounts/signing-credentials/credentials.json'),
      SIGNING_MASTER_KEY_FILE: place.path('mounts/signing-keys/master-key'),
      SIGNING_AUDIT_KEY_FILE: place.path('mounts/signing-audit-keys/signing-0.audit.key'),
      SIGNING_AUDIT_FILE: place.path('audit/audit.jsonl'),
    });
    if (IS_ROOT) {
      chmodSync(place.folder, 0o755);
      chownSync(place.path('audit'), USER, USER);
      place.launcher = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
    }
    service = await place.start();
    // Keeps the output.
    service.process.onLine(() => undefined);
  });
  after(() => place.remove());

  it('rotates it, keys first, while every request is signed', async () => {
    const statuses: number[] = [];
    let isOver = false;
    const calls = (async () => {
      while (!isOver) statuses.push(await sign());
    })();
    const [old] = ids();
    expect(loaded()).to.deep.equal([[old]]);

    paste(rotate);
    const [fresh, ...others] = ids();
    expect(others).to.deep.equal([old]);
    await until(() => expect(loaded()).to.deep.equal([[old], [old]]));
    paste(deployCredentials);
    await until(() => expect(loaded()).to.deep.equal([[old], [old], [fresh]]));
    paste(retire);
    expect(ids()).to.deep.equal([fresh]);
    await until(() => expect(loaded()).to.deep.equal([[old], [old], [fresh], [fresh]]));

    isOver = true;
    await calls;
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('has a reason for its order: credentials without their key are refused, until it arrives', async () => {
    const before = loaded();
    paste('node dist/cli.js master-key rotate');
    const [fresh, old] = ids();
    paste(deployCredentials);
    const refusal = `is sealed under master key ${fresh}, but ${place.path('mounts/signing-keys/master-key')} contains ${old};`;
    await until(() => expect(service.process.stdout).to.include(refusal));
    expect(await sign()).to.equal(200);
    expect(loaded()).to.deep.equal(before);
    paste(deployKeys);
    await until(() => expect(loaded()).to.deep.equal([...before, [fresh]]));
    expect(await sign()).to.equal(200);
  });
});
