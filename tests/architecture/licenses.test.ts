import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  findLicenseIssues,
  type LicensedPackage,
  licensePage,
  lockedPackages,
} from '../../scripts/generate/license-page.ts';

const ROOT = new URL('../../', import.meta.url);

describe('The list of licenses', () => {
  const packages = lockedPackages();

  it('has every package of package.json', () => {
    const page = licensePage(packages);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
    for (const [wanted, isForDevelopment] of [
      [dependencies, false],
      [devDependencies, true],
    ]) {
      for (const [name, version] of Object.entries(wanted)) {
        const found = packages.filter((one) => one.name === name && one.version === version);
        expect(
          // Production may bring a package that development needs, too.
          found.some((one) => isForDevelopment || !one.isForDevelopment),
          name,
        ).to.equal(true);
        expect(page).to.include(`| \`${name}\` | ${version} |`);
      }
    }
  });
});

describe('Licenses', () => {
  it('of all packages are allowed, and match what the packages declare', () => {
    const packages = lockedPackages();
    expect(packages.filter(({ installedLicense }) => installedLicense !== null)).to.have.length.above(100);
    expect(findLicenseIssues(packages)).to.deep.equal([]);
  });

  const MIT: LicensedPackage = {
    ...{ name: 'x', version: '1.0.0', license: 'MIT', installedLicense: null, isForDevelopment: false },
  };
  const cases: readonly (readonly [Partial<LicensedPackage>, boolean])[] = [
    [{}, true],
    [{ license: 'MIT OR GPL-3.0-only' }, true],
    [{ license: '(Apache-2.0 AND BSD-3-Clause)' }, true],
    [{ license: 'MIT AND GPL-3.0-only' }, false],
    [{ license: 'GPL-3.0-only' }, false],
    [{ license: 'AGPL-3.0-or-later', isForDevelopment: true }, false],
    [{ license: 'BlueOak-1.0.0' }, false],
    [{ license: 'BlueOak-1.0.0', isForDevelopment: true }, true],
    [{ license: 'SEE LICENSE IN LICENSE.md' }, false],
    [{ license: 'UNLICENSED' }, false],
    [{ license: '' }, false],
    [{ license: null }, false],
    [{ installedLicense: 'GPL-3.0-only' }, false],
  ];
  for (const [part, isRight] of cases) {
    it(`${isRight ? 'are allowed' : 'are detected'}: ${JSON.stringify(part)}`, () => {
      expect(findLicenseIssues([{ ...MIT, ...part }])).to.have.lengthOf(isRight ? 0 : 1);
    });
  }
});
