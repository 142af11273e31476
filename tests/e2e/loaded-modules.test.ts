import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const DIST = resolve(import.meta.dirname, '../../dist');

/** What signing, serving and composing need, and help and the audit commands do not. */
const HEAVY = ['express', 'ethers', 'inversify', 'winston', 'secp256k1-native'];

/** What stands at the top of a built file is loaded with it; what is imported in a function is not. */
const LOADED = /^(?:import|export)\b(?:[^'"`;()]*?\bfrom)? *(['"])([^'"\n]+)\1/gm;

/** What loading a built file loads, with all that it imports: files in dist/, packages or parts of them, and Node's modules. */
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

/** `ethers/hash` is a part of ethers. */
function packagesLoadedBy(file: string): readonly string[] {
  return importsLoadedBy(file).map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
}

describe('The command line', () => {
  it('loads neither Express nor ethers nor the container before a command needs it', () => {
    const loaded = packagesLoadedBy('composition/command-line.js');
    expect(loaded).to.include('commander');
    for (const name of HEAVY) {
      expect(loaded, name).not.to.include(name);
    }
  });

  it('loads nothing that speaks HTTP for a command that works on files', () => {
    const loaded = packagesLoadedBy('composition/open-installation.js');
    expect(loaded).to.include('inversify');
    expect(loaded).not.to.include('express');
  });

  it('would be found to load them', () => {
    const loaded = packagesLoadedBy('composition/serve.js');
    for (const name of HEAVY) {
      expect(loaded, name).to.include(name);
    }
  });
});

describe('The service', () => {
  it('loads what makes the documents of its API only when somebody asks for them', () => {
    const { files } = loadedBy('composition/serve.js');
    expect(files).to.include('adapters/driving/http/routes/documents.js');
    expect(files.filter((file) => /\/(?:openapi|documentation|schemas\/answers)\//.test(file))).to.deep.equal([]);
    expect(loadedBy('adapters/driving/http/openapi/api-document.js').files).to.include(
      'adapters/driving/http/schemas/answers/signature-answer.js',
    );
  });

  it('loads the messages of authentication only where callers are asked who they are', () => {
    expect(packagesLoadedBy('composition/serve.js')).not.to.include('@bufbuild/protobuf');
    expect(packagesLoadedBy('composition/keep-authentication.js')).to.include('@bufbuild/protobuf');
  });

  it('alone loads what metrics are counted with, when it is composed', () => {
    expect(packagesLoadedBy('composition/open-installation.js')).not.to.include('prom-client');
    expect(packagesLoadedBy('composition/serve.js')).not.to.include('prom-client');
    expect(packagesLoadedBy('adapters/driven/metrics/prom-metrics.js')).to.include('prom-client');
  });

  it('loads of ethers what hashes, encodes and checks, and not what speaks to the nodes of a chain', () => {
    const parts = importsLoadedBy('composition/serve.js').filter((specifier) => /^ethers\b/.test(specifier));
    expect(parts.sort()).to.deep.equal(
      ['address', 'constants', 'crypto', 'hash', 'utils'].map((part) => `ethers/${part}`),
    );
  });
});
