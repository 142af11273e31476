import { readTlsFiles } from '../../../src/adapters/http/tls/tls-files.ts';

const [certFile = '', keyFile = ''] = process.argv.slice(2);
try {
  readTlsFiles({ certFile, keyFile });
} catch (error) {
  process.stdout.write(String(error));
}
