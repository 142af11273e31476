import { join } from 'node:path';
import { itFollowsTheContract } from './client-contract.ts';

const DRIVER = join(import.meta.dirname, 'typescript-driver.ts');

describe('The TypeScript client follows the contract of all clients', function () {
  this.timeout(30_000);
  itFollowsTheContract(() => ({ command: process.execPath, args: ['--import', import.meta.resolve('tsx'), DRIVER] }));
});
