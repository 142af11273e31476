import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { definedProgram, listLeaves } from '../harness/command-definitions.ts';
import { Workplace } from '../harness/service-process.ts';
import { readProjectFile } from '../project-root.ts';

/** Examples of the page. */
const JSON_EXAMPLES: { readonly [commandLine: string]: object } = JSON.parse(
  readProjectFile('docs/examples/command-output.json'),
);

/**
 * Names and types of all members, `accounts[].row: number`; null and empty arrays match anything.
 */
function shapeOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return [`${path}[]`, ...value.flatMap((item) => shapeOf(item, `${path}[]`))];
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, path === '' ? name : `${path}.${name}`));
}

/** Members that depend on data are excluded. */
const OF_THE_DATA =
  /^(status\.|presets\[\]\.(example|values|keyFormat|platform|rules|requests)|policy\.readyMade\.requests\[\]|chains\[\]\.events\.|.*\.(payload|secretDecoding)\b)/;

function membersOf(document: object): readonly string[] {
  return [...new Set(shapeOf(document))].filter((member) => !OF_THE_DATA.test(member)).toSorted();
}

describe('JSON documents of commands', () => {
  const place = new Workplace();
  const restored = new Workplace();
  const documents = new Map<string, object>();
  const ids = ['--platform', 'my-exchange', '--account'];
  let token = '';

  async function run(name: string, args: readonly string[] = [], exitCode = 0, at = place): Promise<void> {
    const [line = ''] = name.split(', ');
    const ended = await at.commandHere(...line.split(' '), ...args, '--json');
    expect(ended.exitCode, `${name}: ${ended.stderr}`).to.equal(exitCode);
    documents.set(name, JSON.parse(ended.stdout));
  }

  before(async () => {
    token = place.path('desk.token');
    await run('init');
    await place.prepare('platform', 'add', '--platform', 'treasury', '--format', 'B');
    await run('platform add', ['--platform', 'my-exchange', '--format', 'any', '--algorithm', 'ed25519']);
    await run('platform disable', ['--platform', 'my-exchange']);
    await run('platform enable', ['--platform', 'my-exchange']);
    await run('platform edit', ['--platform', 'my-exchange', '--audit-clear', 'amount']);
    await place.prepare('platform', 'edit', '--platform', 'my-exchange', '--audit-mask');
    await run('platform presets');
    await run('account add', [...ids, 'existing']);
    writeFileSync(place.path('main.key'), 'ab'.repeat(32));
    const head = 'platformId,accountId,keyFile\n';
    writeFileSync(place.path('a.csv'), `${head}my-exchange,main,main.key\nmy-exchange,existing,\n`);
    writeFileSync(place.path('b.csv'), `${head}my-exchange,other,nowhere\n`);
    await run('account import', [place.path('a.csv'), '--skip-existing']);
    await run('account import, if rejected', [place.path('b.csv')], 2);
    await place.prepare('account', 'add', '--platform', 'treasury', '--account', 'hot');
    await run('account list', ['--platform', 'treasury']);
    await run('account edit', ['--platform', 'treasury', '--account', 'hot', '--alias', 'Hot wallet']);
    const service = await place.startHere();
    await service.post('/sign', { platformId: 'my-exchange', accountId: 'main', data: { a: '1' } });
    // While modules of the command load, the service in this process sees no answer of its disk.
    for (let code = 4; code === 4; ) code = (await place.commandHere('status', '--url', service.url)).exitCode ?? 0;
    await run('status', ['--url', service.url]);
    await service.stop();
    await run('status, if unreachable', ['--url', service.url], 5);
    await run('audit verify', ['--usage']);
    await run('permission check', ['--principal', 'bot-7', '--operation', 'sign', ...ids, 'main']);
    const credentials = JSON.parse(readFileSync(place.path('credentials.json'), 'utf8'));
    const listed = JSON_EXAMPLES['policy list'] as { readonly [list: string]: readonly object[] };
    const policies = listed['policies']?.map((policy) => ({ ...policy, readyMade: undefined }));
    const { budgets } = listed;
    writeFileSync(place.path('credentials.json'), JSON.stringify({ ...credentials, policies, budgets }));
    writeFileSync(place.path('order.json'), '{"order":{"side":"buy","amount":5}}');
    await run('policy list');
    await run('platform list');
    await run('platform show', ['--platform', 'my-exchange']);
    const { permissions } = JSON_EXAMPLES['permission list'] as { readonly permissions: readonly object[] };
    const entries = permissions.map((entry) => ({ ...entry, index: undefined, accounts: ['*/*'] }));
    const everything = { ...credentials, policies, budgets };
    writeFileSync(place.path('credentials.json'), JSON.stringify({ ...everything, permissions: entries }));
    await run('permission list');
    await run('permission add', ['--principal', 'bot-7', '--operation', 'sign', '--account', 'my-exchange/*']);
    await run('permission remove', ['--index', '1']);
    await run('account show', [...ids, 'main']);
    writeFileSync(place.path('credentials.json'), JSON.stringify(everything));
    await place.prepare('platform', 'add', '--platform', 'spare', '--format', 'any', '--algorithm', 'ed25519');
    await run('platform remove', ['--platform', 'spare']);
    await place.prepare('platform', 'add', '--preset', 'okx', '--add-rule', 'other={"rule":"raw"}');
    await run('policy add', ['--platform', 'okx', '--policy', 'no-withdrawals', '--mode', 'audit']);
    await run('policy show', ['okx-no-withdrawals']);
    const policy = {
      name: 'no-large',
      accounts: ['my-exchange/*'],
      effect: 'deny',
      when: 'signed.message.amount > 10',
    };
    writeFileSync(place.path('policy.json'), JSON.stringify(policy));
    await run('budget add', ['orders', '--account', 'my-exchange/*', '--sum', '1', '--max', '600', '--window', '60']);
    await run('budget edit', ['orders', '--max', '900']);
    await run('budget list');
    await run('budget remove', ['orders']);
    await run('policy set', [place.path('policy.json')]);
    await run('policy remove', ['no-large']);
    await run('policy edit', ['okx-no-withdrawals', '--mode', 'audit']);
    await run('policy check', [...ids, 'main', '--principal', 'bot-7', '--data', place.path('order.json')]);
    await place.prepare('account', 'add', ...ids, 'twin', '--key-file', place.path('main.key'));
    await run('account replace-key', [...ids, 'existing', '--overlap', '60']);
    await run('account disable', [...ids, 'main']);
    await run('account enable', [...ids, 'main']);
    await place.prepare('account', 'disable', ...ids, 'main');
    await run('account remove', [...ids, 'main']);
    await run('master-key status');
    await run('master-key rotate');
    await run('master-key retire', ['--yes']);
    place.environment['SIGNING_AUTH_AUTHORITIES_FILE'] = place.path('authorities.txt');
    const authority = ['--authority-key-file', place.path('authority.key')];
    await run('token authority', authority);
    const issue = [
      '--username',
      'desk-1',
      '--expires-in',
      '90d',
      '--new-key-file',
      place.path('desk.key'),
      '--out',
      token,
    ];
    await run('token issue', [...authority, ...issue]);
    await run('token inspect', [token]);
    await run('backup', [place.path('backup'), '--master-key', place.path('apart')]);
    await restored.prepare('init');
    rmSync(restored.path('credentials.json'));
    await run('restore', [place.path('backup')], 0, restored);
    const { stdout } = await place.commandHere('doctor', '--json');
    documents.set('doctor', JSON.parse(stdout));
  });
  after(async () => {
    await place.remove();
    await restored.remove();
  });

  it('exist for every command that prints data', async () => {
    const leaves = listLeaves(await definedProgram());
    const withJson = leaves.filter(([, { options }]) => options.some(({ long }) => long === '--json'));
    const named = withJson.map(([name]) => name).filter((name) => name !== 'audit tail');
    expect(new Set([...documents.keys()].map((name) => name.split(', ')[0]))).to.deep.equal(new Set(named));
    expect([...documents.keys()]).to.have.members(Object.keys(JSON_EXAMPLES));
    const without = leaves.filter((leaf) => !withJson.some(([name]) => name === leaf[0]));
    expect(without.map(([name]) => name)).to.deep.equal(['serve', 'demo', 'completion']);
  });

  for (const name of Object.keys(JSON_EXAMPLES)) {
    it(`match docs/operators/command-line.md: ${name}`, () => {
      expect(membersOf(documents.get(name) ?? {})).to.deep.equal(membersOf(JSON_EXAMPLES[name] ?? {}));
    });
  }
});
