import { expect } from 'chai';
import { readCredentialsFile } from '../../../../src/adapters/credentials/credentials-file.ts';
import { CredentialLoadError, OperatorError } from '../../../../src/domain/model/errors.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { rejection, useWorkplace } from './credentials-workplace.ts';

/** Test cases of EIP-55 (https://eips.ethereum.org/EIPS/eip-55). */
const VALID = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

/** The first letter of the last address in lower case. */
const WRONG = '0xd1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';

const MESSAGE = 'must be an address: 0x and 40 hex digits, in one case or with a valid EIP-55 checksum';

const entry = (platformId: string, verifyingContract: string) => ({
  platformId,
  format: 'any' as const,
  algorithms: ['eip712'] as const,
  payload: { rule: 'typed-data' as const, domain: { name: 'Exchange', verifyingContract } },
});

describe('The checksum of an EIP-712 domain’s address', () => {
  const workplace = useWorkplace();
  const write = (...addresses: readonly string[]) =>
    workplace().write({
      version: 1,
      platforms: addresses.map((address, index) => entry(`p${index}`, address)),
      accounts: [],
    });

  it('is checked in the credentials file, which accepts the addresses of EIP-55', async () => {
    write(...VALID);
    expect((await readCredentialsFile(workplace().file)).content.platforms).to.have.length(VALID.length);
    write(VALID[0] ?? '', WRONG);
    const error = await rejection(readCredentialsFile(workplace().file));
    expect(error).to.be.instanceOf(CredentialLoadError);
    const [issue, ...more] = (error as CredentialLoadError).issues;
    expect(more).to.deep.equal([]);
    expect(issue?.path).to.equal('platforms[1].payload.domain.verifyingContract');
    expect(issue?.message).to.include(MESSAGE).and.not.include(WRONG);
  });

  it('is checked in named rules and in what a rule wraps', async () => {
    const domain = { verifyingContract: WRONG };
    const typedData = { domain, primaryType: 'Message', member: 'msg' };
    const platform = {
      ...entry('alpha', VALID[0] ?? ''),
      rules: { other: { rule: 'query', field: 'order', typedData }, plain: { rule: 'typed-data', domain } },
    };
    workplace().write({ version: 1, platforms: [platform], accounts: [] });
    const error = await rejection(readCredentialsFile(workplace().file));
    expect((error as CredentialLoadError).issues.map(({ path }) => path)).to.deep.equal([
      'platforms[0].rules.other.typedData.domain.verifyingContract',
      'platforms[0].rules.plain.domain.verifyingContract',
    ]);
  });

  it('is checked before a platform is added', async () => {
    workplace().write({ version: 1, platforms: [], accounts: [] });
    const editor = workplace().editor();
    const error = await rejection(
      workplace()
        .configuration()
        .addPlatform(entry('alpha', WRONG) as Platform),
    );
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include(`payload.domain.verifyingContract ${MESSAGE}`);
    await workplace()
      .configuration()
      .addPlatform(entry('alpha', VALID[4] ?? '') as Platform);
    expect((await editor.list()).platforms).to.have.length(1);
  });
});
