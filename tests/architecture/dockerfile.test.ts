import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { readSettings } from '../../src/app/settings/settings.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const TEXT = readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8');
/** Without comments, an instruction on each line. */
const INSTRUCTIONS = TEXT.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');

/** The arguments of the only instruction of this kind in the last stage. */
function argumentsOf(keyword: string): string {
  const [, image = ''] = INSTRUCTIONS.split('\nFROM scratch\n');
  const [only = '', ...others] = [...image.matchAll(new RegExp(`^${keyword} (.*)$`, 'gm'))].map(([, text]) => text);
  expect(others, keyword).to.deep.equal([]);
  return only;
}

describe('Dockerfile', () => {
  it('passes the Dockerfile linter', () => {
    expect(validate(TEXT)).to.deep.equal([]);
  });

  it('compiles key-handling code without optimizations that break constant time', () => {
    expect(INSTRUCTIONS.match(/.*npm rebuild.*/g)?.join()).to.match(/ CFLAGS=-O1 .*npm rebuild secp256k1-native;/);
  });

  it('sets only valid settings of the service and Node, and PATH', () => {
    const pairs = argumentsOf('ENV').split(' ');
    const { PATH, ...settings } = Object.fromEntries(pairs.map((pair) => pair.split('=')));
    expect(PATH).to.equal('/usr/local/bin:/usr/bin');
    expect(readSettings(settings).production).to.equal(true);
  });

  it('exposes the port, and keeps the folders that the service writes to in volumes', () => {
    const { port, credentialsFile, auditFile } = readSettings({});
    expect(argumentsOf('EXPOSE')).to.equal(String(port));
    const volumes: readonly string[] = JSON.parse(argumentsOf('VOLUME'));
    for (const file of [credentialsFile, auditFile]) {
      expect(volumes.filter((volume) => join('/app', file).startsWith(`${volume}/`))).to.have.lengthOf(1);
    }
  });

  it('is not unhealthy during a start with SIGNING_AUTH, which may refuse callers for a minute', () => {
    const [, seconds] = /--start-period=(\d+)s/.exec(argumentsOf('HEALTHCHECK')) ?? [];
    expect(Number(seconds)).to.be.above(60);
  });
});
