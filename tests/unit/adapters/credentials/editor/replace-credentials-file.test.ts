import { readdirSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import {
  replaceCredentialsFile,
  replaceSecretFile,
} from '../../../../../src/adapters/credentials/editor/replace-credentials-file.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';
import { hookFileOperations } from '../keyring/file-operations-hook.ts';

const OLD = 'old content';
const NEW = 'new content';
const confirmed = async () => undefined;

describe('Replacing a credentials file', () => {
  const workplace = useWorkplace();
  const { stat } = fs;
  const replaceSecret = (bytes = Buffer.from(NEW)) =>
    replaceSecretFile(workplace().masterKeyFile, (write) => write(bytes));

  beforeEach(() => workplace().write(OLD));
  afterEach(() => {
    Object.assign(fs, { stat });
    syncBuiltinESMExports();
  });

  async function expectRefused(action: Promise<unknown>, ...parts: readonly string[]): Promise<void> {
    const error = await rejection(action);
    expect(error).to.be.instanceOf(OperatorError);
    for (const part of parts) expect(error.message).to.include(part);
    expect(workplace().text()).to.equal(OLD);
    expect(readdirSync(workplace().folder)).to.have.members(['credentials.json', 'master.key']);
  }

  it('reports that the owner cannot be set', async () => {
    const owner = statSync(workplace().file);
    Object.assign(fs, { stat: async () => ({ ...owner, uid: owner.uid + 1 }) });
    syncBuiltinESMExports();
    const restore = await hookFileOperations(({ name }) => {
      if (name === 'chown') throw Object.assign(new Error('from the system'), { code: 'EPERM', syscall: 'test' });
    });
    try {
      const { file, masterKeyFile } = workplace();
      await expectRefused(replaceCredentialsFile(file, NEW, confirmed), `${file} belongs to another user`);
      await expectRefused(replaceSecret(), `${masterKeyFile} belongs to another user`);
    } finally {
      restore();
    }
  });
});
