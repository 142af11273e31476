const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const inTests = (path) => join(__dirname, 'tests', path);
const importOf = (path) => `import=${pathToFileURL(path)}`;

module.exports = {
  // Absolute: worker threads of tests, which run in another folder, inherit them.
  'node-option': [
    'no-experimental-require-module',
    importOf(require.resolve('tsx')),
    importOf(inTests('typescript-in-threads.js')),
  ],
  require: ['surroundings.ts', 'programs/compile-programs.ts', 'documented-responses/check-responses.ts'].map(inTests),
  extension: ['ts'],
  timeout: 60_000,
  'forbid-only': true,
  'forbid-pending': true,
};
