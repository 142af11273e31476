import { runNamed, script } from './stage/run-named.ts';

/* Writes files that are made from others: `npm run generate [-- NAME...]`. */

process.exitCode = await runNamed(
  'npm run generate [-- NAME...]',
  {
    schema: { command: script('write-schemas.ts'), about: 'JSON Schemas in config, and docs/openapi.json' },
    docs: { command: script('write-docs.ts'), about: 'PRESETS.md, METRICS.md, CLI.md and the Grafana dashboard' },
    licenses: { command: script('write-license-page.ts'), about: 'LICENSES.md; fails where a license is not allowed' },
    proto: {
      command: [
        ...['sh', '-c'],
        'cd src/access-messages && exec npx --yes -p @bufbuild/buf@1.75.0 -p @bufbuild/protoc-gen-es@2.13.0 buf generate',
      ],
      about: 'the code of src/access-messages (network)',
    },
    sbom: { command: script('write-sbom.ts'), about: 'prints the bill of materials of production, CycloneDX' },
    'docs-picture': { command: script('picture-documentation-page.ts'), about: 'docs/images/docs-page.png (chromium)' },
    'cli-picture': {
      command: script('picture-commands.ts'),
      about: 'docs/images/command-line.png (chromium, script of util-linux)',
      needsBuild: true,
    },
    accounts: {
      command: script('write-many-accounts.ts'),
      about: 'FOLDER [--accounts N]: an installation with 100,000 accounts, for trials (under a minute)',
    },
  },
  ['schema', 'docs', 'licenses'],
);
