import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT } from '../project-root.ts';

const DIST = join(PROJECT_ROOT, 'dist');

/** Packages for signing, serving and composing, but not for help and audit commands. */
const HEAVY = ['express', 'ethers', 'inversify', 'winston', 'secp256k1-native'];

/** Static imports; dynamic ones load later. */
const LOADED = /^(?:import|export)\b(?:[^'"`;()]*?\bfrom)? *(['"])([^'"\n]+)\1/gm;

/** Everything that a built file loads: files in dist/, packages and Node's modules. */
function loadedBy(file: string): { readonly files: readonly string[]; readonly imports: readonly string[] } {
  const imports = new Set<string>();
  const files = new Set([join(DIST, file)]);
  for (const path of files) {
    for (const [, , specifier = ''] of readFileSync(path, 'utf8').matchAll(LOADED)) {
      if (specifier.startsWith('.')) files.add(resolve(path, '..', specifier));
      else imports.add(specifier);
    }
  }
  return { files: [...files].map((path) => relative(DIST, path)), imports: [...imports] };
}

function importsLoadedBy(file: string): readonly string[] {
  return loadedBy(file).imports;
}

/** `ethers/hash` belongs to ethers. */
function packagesLoadedBy(file: string): readonly string[] {
  return importsLoadedBy(file).map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
}

describe('The command line', () => {
  it('loads no command before it is named, and no preset, schema or native library', () => {
    const { files, imports } = loadedBy('app/command-line.js');
    expect(files.filter((file) => /-command\.js$|^adapters\/venues\//.test(file))).to.deep.equal([]);
    expect(imports.filter((specifier) => !specifier.startsWith('node:'))).to.deep.equal(['commander']);
  });

  it('loads no HTTP module or signer for a command that works on files', () => {
    const files = [
      'app/installation.js',
      'adapters/credentials/editor/file-credential-editor.js',
      'domain/services/account-administration-service.js',
    ];
    for (const file of files) {
      for (const name of HEAVY.filter((heavy) => heavy !== 'inversify')) {
        expect(packagesLoadedBy(file), `${name} by ${file}`).not.to.include(name);
      }
      expect(loadedBy(file).files.filter((one) => one.startsWith('adapters/signing/'))).to.deep.equal([]);
    }
  });
});

describe('The service', () => {
  /** Files of dist/ or packages, and the file that loads them on request. */
  const late: readonly (readonly [what: string, pattern: RegExp, by: string])[] = [
    ['the messages of authentication', /^adapters\/auth\/messages\//, 'app/background/authentication-runtime.js'],
    ['the language of policies', /^@marcbachmann\/cel-js/, 'adapters/policy/cel-policy-language.js'],
    ['prom-client', /^prom-client/, 'adapters/observability/prom-metrics.js'],
  ];
  for (const [what, pattern, by] of late) {
    it(`loads ${what} only on request`, () => {
      const loaded = (file: string) =>
        [...loadedBy(file).files, ...importsLoadedBy(file)].filter((one) => pattern.test(one));
      expect(loaded(by)).not.to.deep.equal([]);
      for (const file of ['app/serve.js', 'app/installation.js']) {
        expect(loaded(file), file).to.deep.equal([]);
      }
    });
  }

  it('loads no schema of a response', () => {
    const { files } = loadedBy('app/serve.js');
    expect(files).to.include('adapters/http/schemas/requests.js');
    expect(files.filter((file) => /^adapters\/http\/schemas\/.*response/.test(file))).to.deep.equal([]);
  });

  it('loads OpenTelemetry only with an endpoint for traces, and no SDK before that', () => {
    expect(loadedBy('app/serve.js').files).not.to.include('adapters/observability/otlp-traces.js');
    for (const file of ['app/serve.js', 'adapters/observability/otlp-traces.js']) {
      expect(packagesLoadedBy(file).filter((name) => name.startsWith('@opentelemetry/'))).to.deep.equal([]);
    }
  });
});
