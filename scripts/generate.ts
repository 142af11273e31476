import { runNamed, script } from './run/programs.ts';

/* Writes generated files: `npm run generate [-- NAME...]`. */

const file = (name: string) => script(`generate/${name}`);

process.exitCode = await runNamed(
  'npm run generate [-- NAME...]',
  {
    schema: {
      command: [...file('write-generated-files.ts'), 'schema'],
      about: 'JSON Schemas in config, and docs/openapi.json',
    },
    docs: {
      command: [...file('write-generated-files.ts'), 'docs'],
      about: 'generated pages, audit example, PrometheusRule',
    },
    proto: {
      command: [
        ...['sh', '-c'],
        'cd src/adapters/auth/messages && exec npx --yes -p @bufbuild/buf@1.75.0 -p @bufbuild/protoc-gen-es@2.13.0 buf generate',
      ],
      about: 'the code of adapters/auth/messages (network)',
    },
  },
  ['schema', 'docs'],
);
