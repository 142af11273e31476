const { join } = require('node:path');

const compiled = (path) => join(__dirname, 'build/tests', path);

module.exports = {
  require: ['surroundings.js', 'documented-responses/check-responses.js'].map(compiled),
  extension: ['test.js'],
  recursive: true,
  // Tests wait, too.
  jobs: 3,
  timeout: 60_000,
  'fail-zero': true,
  'forbid-only': true,
  'forbid-pending': true,
};
