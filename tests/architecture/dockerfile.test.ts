import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { readDockerfile, type Stage } from '../../scripts/image/dockerfile-steps.ts';
import { buildContext } from '../../scripts/image/stage-root.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { PROJECT_ROOT } from './planted-copy.ts';

const TEXT = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8');

function of(stage: Stage | undefined, keyword: string) {
  return (stage?.steps ?? []).filter((step) => step.keyword === keyword);
}

// `npm run check -- image` executes the steps.
describe('Dockerfile', () => {
  const dockerfile = readDockerfile(TEXT);
  const [build, image] = dockerfile.stages;

  it('passes the Dockerfile linter', () => {
    expect(validate(TEXT)).to.deep.equal([]);
  });

  it('builds on an exact Node 24 version for Debian from no fixed registry, or on NODE_IMAGE', () => {
    expect(build?.base).to.equal(`\${NODE_IMAGE}`);
    expect(dockerfile.arguments['NODE_IMAGE']).to.match(/^node:24\.\d+\.\d+-bookworm$/);
  });

  it('ends with an image from scratch that runs no command and copies only from the build stage', () => {
    expect(dockerfile.stages).to.have.lengthOf(2);
    expect(image?.base).to.equal('scratch');
    expect(of(image, 'RUN')).to.deep.equal([]);
    expect(of(image, 'COPY').map(({ flags, text }) => [flags['from'], flags['chown'], text])).to.deep.equal([
      ['build', '0:0', '/image/ /'],
      ['build', '10001:10001', '/owned/ /app/'],
      ['build', '10001:10002', '/recorded/ /app/'],
    ]);
  });

  it('installs the locked packages without scripts, and prunes dev packages before copying', () => {
    const runs = of(build, 'RUN').map(({ text }) => text);
    const [install, prune, copy] = ['npm ci', 'npm prune', 'cp --recursive'].map((command) =>
      runs.filter((text) => text.includes(command)),
    );
    expect(install).to.deep.equal(['npm ci --ignore-scripts']);
    expect(prune).to.deep.equal(['npm prune --omit=dev --ignore-scripts']);
    expect(copy).to.have.lengthOf(1);
    expect(runs.indexOf(prune?.[0] ?? '')).to.be.below(runs.indexOf(copy?.[0] ?? ''));
  });

  it('compiles key-handling code without optimizations that break constant time', () => {
    const rebuilds = of(build, 'RUN').filter(({ text }) => text.includes('npm rebuild'));
    expect(rebuilds).to.have.lengthOf(1);
    expect(rebuilds[0]?.text).to.match(/ CFLAGS=-O1 (?:\S+=\S+ )*npm rebuild secp256k1-native;/);
  });

  it('makes node executable but not readable for the service', () => {
    const lines = TEXT.split('\n').filter((line) => line.includes('/image/usr/local/bin/node'));
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include('install -D --mode=0711 /usr/local/bin/node /image/usr/local/bin/node');
  });

  it('runs as a numeric user, with stop signal, port, health check and start without a shell', () => {
    const [user, signal, port, health, command] = ['USER', 'STOPSIGNAL', 'EXPOSE', 'HEALTHCHECK', 'CMD'].map(
      (keyword) => of(image, keyword).at(-1),
    );
    expect(user?.text).to.match(/^[1-9]\d*:[1-9]\d*$/);
    expect(signal?.text).to.equal('SIGTERM');
    expect(port?.text).to.equal(String(readSettings({}).port));
    expect(health?.words?.[0]).to.equal('node');
    expect(command?.words?.[0]).to.equal('node');
  });

  it('is not unhealthy during a start with SIGNING_AUTH, which may refuse callers for a minute', () => {
    const seconds = /^HEALTHCHECK .*--start-period=(\d+)s/m.exec(TEXT)?.[1];
    expect(Number(seconds)).to.be.above(60);
  });

  it('sets only valid settings of the service and Node, and PATH', () => {
    const environment = Object.assign({}, ...of(image, 'ENV').map(({ properties }) => properties));
    const { PATH, ...settings } = environment;
    expect(PATH).to.equal('/usr/local/bin:/usr/bin');
    expect(readSettings(settings).production).to.equal(true);
  });

  it('keeps the folders that the service writes to in volumes', () => {
    const { credentialsFile, auditFile } = readSettings({});
    const volumes = of(image, 'VOLUME').flatMap(({ words }) => words ?? []);
    for (const file of [credentialsFile, auditFile]) {
      expect(
        volumes.some((volume) => join('/app', file).startsWith(`${volume}/`)),
        file,
      ).to.equal(true);
    }
  });

  it('describes the package in labels', () => {
    const labels = Object.assign({}, ...of(image, 'LABEL').map(({ properties }) => properties));
    const manifest = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));
    expect(labels['org.opencontainers.image.title']).to.equal(manifest.name);
    expect(labels['org.opencontainers.image.description']).to.equal(manifest.description);
    expect(labels['org.opencontainers.image.licenses']).to.equal(manifest.license);
  });

  it('has a build context with only the files that the build copies', () => {
    const copied = of(build, 'COPY').flatMap(({ text }) => text.split(' ').slice(0, -1));
    expect([...buildContext(PROJECT_ROOT)].sort()).to.deep.equal(copied.sort());
    expect(readdirSync(PROJECT_ROOT)).to.include.members(copied);
  });
});
