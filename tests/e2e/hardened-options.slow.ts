import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALGORITHMS, type Algorithm, isMacAlgorithm } from '../../src/domain/model/algorithm.ts';
import { exchange, postBytes } from '../harness/raw-client.ts';
import { hardeningReport, type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { dockerfileCommand, HARDENING_OPTIONS, START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import { readProjectFile } from '../project-root.ts';
import { RSA_KEYS } from '../vectors/rsa-keys.ts';
import { PROOF_PLATFORMS, SIGNING_PROOFS, valueOptions } from './signing-proofs.ts';

const PROTO = '--disable-proto=delete';
const EVAL = '--disallow-code-generation-from-strings';

/** One algorithm of each kind of key. */
const BY_COMMAND: ReadonlySet<Algorithm> = new Set(['ed25519', 'eip191', 'hmac-sha256']);

const TEXT = 'buy 1 ETH-USD';

describe('The hardening options of node', () => {
  /** Without the option that Node 20 lacks. */
  const image = dockerfileCommand('CMD ').filter((argument) => argument !== '--disable-sigusr1');

  it('are in every command that starts a program of the image', () => {
    for (const start of ['CMD ', 'HEALTHCHECK ']) {
      const [node, ...rest] = dockerfileCommand(start);
      expect(node, start).to.equal('node');
      expect(rest, start).to.include.members([PROTO, EVAL, '--disable-sigusr1']);
      expect(rest.at(-1), start).to.match(/^dist\/\w+\.js$/);
    }
  });

  it('are the same for npm start and the image, except for one that Node 20 lacks', () => {
    const { scripts } = JSON.parse(readProjectFile('package.json'));
    expect(scripts.start).to.equal(`ulimit -c 0 && exec ${image.join(' ')}`);
  });

  it('are the same in the guide for a start by hand', () => {
    const guide = readProjectFile('docs/operators/deploy.md');
    expect(guide.split('\n')).to.include(image.join(' '));
  });

  it('are in the shebang line of the command', () => {
    const [line] = readProjectFile('dist/cli.js').split('\n');
    expect(line).to.equal(`#!/usr/bin/env -S node ${PROTO} ${EVAL}`);
  });
});

describe('The service with the hardening options of node', () => {
  const place = new Workplace();
  place.launcher = withNodeOptions(...START_OPTIONS);
  const secret = 'wBkFgXSvJ3rTkHxUnr9Ai0P3Xvlt5YYb';
  let service: ServiceProcess;

  before(async function () {
    this.timeout(60_000);
    await place.done('init');
    for (const [index, { platformId, rule }] of PROOF_PLATFORMS.entries()) {
      const platform = ['--platform', platformId, '--format', 'any', '--rule', rule];
      await (index === 0 ? place.done('platform', 'add', ...platform) : place.prepare('platform', 'add', ...platform));
    }
    const secretFile = place.path('secret');
    writeFileSync(secretFile, secret, { mode: 0o600 });
    const rsaFile = place.path('rsa.pem');
    writeFileSync(rsaFile, RSA_KEYS[0] ?? '', { mode: 0o600 });
    for (const algorithm of ALGORITHMS) {
      const { platformId } = SIGNING_PROOFS[algorithm];
      const file = isMacAlgorithm(algorithm) ? secretFile : algorithm === 'rsa-sha256' ? rsaFile : undefined;
      const keyFile = file === undefined ? [] : ['--key-file', file];
      const ids = ['--platform', platformId, '--account', algorithm, '--algorithm', algorithm];
      const account = [...ids, ...valueOptions(algorithm)];
      if (BY_COMMAND.has(algorithm)) await place.done('account', 'add', ...account, ...keyFile);
      else await place.prepare('account', 'add', ...account, ...keyFile);
    }
    service = await place.start();
  });

  after(() => place.remove());

  const requestFor = (algorithm: Algorithm) => {
    const { platformId, dataOf } = SIGNING_PROOFS[algorithm];
    return { platformId, accountId: algorithm, data: dataOf(TEXT) };
  };
  const sign = (algorithm: Algorithm) => service.post('/sign', requestFor(algorithm));

  it('logs that it runs with them', async () => {
    const facts = await hardeningReport(service);
    expect(facts['node-options']).to.equal(HARDENING_OPTIONS.join(', '));
  });

  for (const algorithm of ALGORITHMS) {
    it(`signs with ${algorithm}`, async () => {
      const { status, body } = await sign(algorithm);
      expect(status).to.equal(200);
      const { publicKey, signature } = body.data;
      const made = { text: TEXT, publicKey, signature, key: Buffer.from(secret) };
      expect(SIGNING_PROOFS[algorithm].isSignature(made)).to.equal(true);
    });
  }

  it('accepts headers named __proto__ and constructor, and rejects such query parameters', async () => {
    const port = Number(new URL(service.url).port);
    const body = JSON.stringify(requestFor('ed25519'));
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString']) {
      const headers = [`${name}: x`];
      expect((await exchange(port, postBytes('/api/v1/sign', body, headers))).status, name).to.equal(200);
      const path = `/api/v1/sign?${name}=x&${name}[x]=y`;
      expect((await exchange(port, postBytes(path, body, headers))).status, name).to.equal(400);
    }
  });

  it('lists accounts, reloads and reports its status and metrics', async () => {
    expect((await service.get('/accounts')).body.data.total).to.equal(ALGORITHMS.length);
    await place.prepare('account', 'disable', '--platform', 'messages', '--account', 'eip191');
    expect((await service.post('/config/reload')).body.data.changes.updated).to.equal(1);
    expect((await sign('eip191')).status).to.equal(423);
    expect((await service.get('/status')).body.data.status).to.equal('healthy');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics)
      .to.match(/^signing_memory_locked 1$/m)
      .and.match(/^process_resident_memory_bytes /m);
  });

  it('passes a health check with the same options', async () => {
    place.environment['SIGNING_PORT'] = new URL(service.url).port;
    expect(await place.spawn('healthcheck.js', []).ended()).to.deep.include({ exitCode: 0, stderr: '' });
    place.environment['SIGNING_PORT'] = '0';
  });

  it('shuts down gracefully, without output on standard error', async () => {
    const { exitCode, stderr } = await service.stop();
    expect(stderr).to.equal('');
    expect(exitCode).to.equal(0);
  });
}).timeout(60_000);
