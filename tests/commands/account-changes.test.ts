import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { bs58 } from '../harness/base58.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { ed25519PublicKey } from '../process-memory/secrets.ts';

describe('Account changes', () => {
  const place = useWorkplace(['platform add --platform alpha --format A']);
  const ids = ['--platform', 'alpha', '--account', 'main'];

  beforeEach(() => place.prepare('account', 'add', ...ids));

  const text = () => readFileSync(place.path('credentials.json'), 'utf8');

  it('are reported by disable and enable, as text and as JSON', async () => {
    const { stdout } = await place.commandHere('account', 'disable', ...ids);
    expect(stdout).to.match(/^Account main of alpha is disabled\.\nA running service picks this up/);
    const enabled = await place.commandHere('account', 'enable', ...ids, '--json');
    expect(JSON.parse(enabled.stdout)).to.deep.equal({
      account: { platformId: 'alpha', accountId: 'main', status: 'active' },
      cautions: [],
    });
    await place.prepare('account', 'disable', ...ids);
    await place.prepare('account', 'remove', ...ids);
  });

  it('remove an account and its key, but only once it is disabled', async () => {
    const refused = await place.commandHere('account', 'remove', ...ids);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('is active; nothing was changed').and.include('account disable');
    const sealed = /"sealed": "([^"]+)"/.exec(text())?.[1] ?? expect.fail();
    await place.prepare('account', 'disable', ...ids);
    const { stdout, exitCode } = await place.commandHere('account', 'remove', ...ids);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^Account main of alpha removed, together with its key\.\n/);
    expect(text()).to.not.include(sealed);
    const again = await place.commandHere('account', 'remove', ...ids, '--json');
    expect(again.exitCode).to.equal(2);
    expect(JSON.parse(again.stderr).error.message).to.include('No such account: "main" on platform "alpha"');
  });
});

describe('Replacing a key', () => {
  const place = useWorkplace(['platform add --preset bybit']);
  const main = ['--platform', 'bybit', '--account', 'main'];
  const listed = async () => JSON.parse(await place.prepare('account', 'list', '--json')).accounts;
  const text = () => readFileSync(place.path('credentials.json'), 'utf8');
  const keyFile = (content: string) => {
    writeFileSync(place.path('secret'), content);
    return ['--key-file', place.path('secret')];
  };

  before(async () => {
    await place.prepare('account', 'add', ...main, ...keyFile('first-secret'), '--value', 'apiKey=FIRST');
    await place.prepare(
      'account',
      'add',
      '--platform',
      'bybit',
      '--account',
      'twin',
      ...keyFile('second-secret'),
      '--value',
      'apiKey=T',
    );
  });

  it('shows the previous and the new key, and warns if another account has it', async () => {
    const [before] = await listed();
    const { stdout, exitCode } = await place.commandHere(
      ...[
        'account',
        'replace-key',
        ...main,
        ...keyFile('second-secret'),
        '--value',
        'apiKey=SECOND',
        '--overlap',
        '60',
      ],
    );
    expect(exitCode).to.equal(0);
    const [account, twin] = await listed();
    const { publicKey, keyId } = twin;
    expect(account).to.deep.equal({
      ...{ ...before, publicKey, keyId, values: { apiKey: 'SECOND' }, overlapSeconds: 60 },
    });
    expect(stdout).to.include(`previous key ID  ${before.publicKey}\nkey ID           ${twin.publicKey}\n`);
    expect(stdout).to.include('warning: its key is also used by bybit/twin (hmac-sha256)');
    expect(stdout)
      .to.include(`Delete ${place.path('secret')}`)
      .and.include('A running service picks this up');
    expect(await place.prepare('account', 'show', ...main)).to.match(/\noverlap +60 seconds /);
  });

  it('ends the overlap of an earlier replacement unless it is given again', async () => {
    await place.prepare('account', 'replace-key', ...main, ...keyFile('third-secret'));
    expect(JSON.parse(text()).accounts[0]).to.not.have.property('overlapSeconds');
    expect((await listed())[0].values).to.deep.equal({ apiKey: 'SECOND' });
  });

  it('changes nothing with --dry-run', async () => {
    const before = text();
    const { stdout } = await place.commandHere('account', 'replace-key', ...main, ...keyFile('fourth'), '--dry-run');
    expect(stdout).to.match(/^Account main of bybit can get this key; nothing was changed\.\nprevious key ID/);
    expect(text()).to.equal(before);
  });

  it('shows the previous and the new key ID of key pairs', async () => {
    const pair = ['--platform', 'pairs', '--account', 'main'];
    await place.prepare('platform', 'add', '--platform', 'pairs', '--format', 'A');
    await place.prepare('account', 'add', ...pair);
    const keyId = async () => (await listed()).at(-1).keyId;
    const before = await keyId();
    const { stdout } = await place.commandHere('account', 'replace-key', ...pair);
    expect(stdout).to.match(new RegExp(`\\nprevious key ID {6}${before}\\n`));
    expect(stdout).to.match(new RegExp(`\\nkey ID {15}${await keyId()}\\n`));
    const trial = await place.commandHere('account', 'replace-key', ...pair, '--dry-run');
    expect(trial.stdout).to.match(/\npublic key {11}\(generated without --dry-run\)\n$/);
  });

  it('is refused for the same key, a key that cannot be generated, and an invalid overlap', async () => {
    const before = text();
    for (const [args, message] of [
      [keyFile('third-secret'), 'has this key already; nothing was changed'],
      [[], '--key-file is required: a key for hmac-sha256 cannot be generated'],
      [['--overlap', '3601'], 'from 0 to 3600'],
      [['--overlap', '1.5'], 'from 0 to 3600'],
      [['--key-format', 'hex'], '--key-format requires a key file'],
    ] as const) {
      const refused = await place.commandHere('account', 'replace-key', ...main, ...args, '--json');
      expect(refused.exitCode).to.equal(2);
      expect(JSON.parse(refused.stderr).error.message).to.include(message);
    }
    for (const [platform, account] of [
      ['bybit', 'omega'],
      ['omega', 'main'],
    ]) {
      const ids = ['--platform', `${platform}`, '--account', `${account}`];
      const unknown = await place.commandHere('account', 'replace-key', ...ids, ...keyFile('fifth-secret'));
      expect(unknown.exitCode).to.equal(2);
      expect(unknown.stderr).to.include(`No such account: "${account}" on platform "${platform}".`);
    }
    expect(text()).to.equal(before);
  });
});

describe('Showing and editing an account', () => {
  const place = useWorkplace(['platform add --preset bybit']);
  const main = ['--platform', 'bybit', '--account', 'main'];

  before(async () => {
    writeFileSync(place.path('secret'), 'a-secret');
    await place.prepare('account', 'add', ...main, '--key-file', place.path('secret'), '--value', 'apiKey=FIRST');
  });

  it('shows everything but the key', async () => {
    const { stdout } = await place.commandHere('account', 'show', ...main);
    expect(stdout).to.match(/^platform +bybit\naccount +main\nalias +main\nstatus +active\n/);
    expect(stdout)
      .to.match(/\nkey ID +hmac:[0-9a-f]{16}\n/)
      .and.match(/\nkey +sealed under master key [0-9a-f]{16}\n/);
    expect(stdout).to.match(/\nvalue +apiKey=FIRST\npolicies +-\nbudgets +-\npermissions +no permissions list: /);
    expect(stdout).to.not.include('v1.');
    await place.prepare('platform', 'disable', '--platform', 'bybit');
    expect((await place.commandHere('account', 'show', ...main)).stdout).to.include(
      'active, but its platform is disabled',
    );
    await place.prepare('platform', 'enable', '--platform', 'bybit');
    const unknown = await place.commandHere('account', 'show', '--platform', 'bybit', '--account', 'omega');
    expect(unknown.exitCode).to.equal(2);
    expect(unknown.stderr).to.include('No such account: "omega" on platform "bybit".');
  });

  it('edits label, environment and values, and shows what changed', async () => {
    const edit = (...options: readonly string[]) => place.commandHere('account', 'edit', ...main, ...options);
    const { stdout } = await edit('--alias', 'Main book', '--value', 'apiKey=SECOND', '--value', 'recvWindow=10000');
    expect(stdout).to.match(
      /^Account main of bybit changed\.\nalias: main → Main book\nvalue apiKey: FIRST → SECOND\nvalue recvWindow: none → 10000\nA running/,
    );
    const again = await edit('--environment', 'production');
    expect(again.stdout).to.equal('Account main of bybit has these values already; nothing was changed.\n');
    const removed = JSON.parse((await edit('--remove-value', 'recvWindow', '--json')).stdout);
    expect(removed.account).to.deep.include({ alias: 'Main book', values: { apiKey: 'SECOND' } });
    for (const [options, message] of [
      [[], 'set at least one of --alias'],
      [['--remove-value', 'apiKey'], 'account bybit/main: values.apiKey is missing'],
      [['--remove-value', 'other'], 'has no value "other"'],
      [['--value', 'apiKey=x', '--remove-value', 'apiKey'], 'Value "apiKey" is both set and removed'],
      [['--value', 'other=x'], 'account bybit/main: values.other is not used'],
      [['--alias', ''], 'alias must be 1 to 128 printable characters'],
    ] as const) {
      const refused = await edit(...options);
      expect(refused.exitCode).to.equal(2);
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).to.include(message);
    }
  });
});

describe('Lists of platforms and permissions', () => {
  const place = useWorkplace([
    'platform add --platform alpha --format A',
    'platform add --platform spare --format B',
    'account add --platform alpha --account main',
  ]);

  it('show platforms with their accounts, and one in full', async () => {
    const { stdout } = await place.commandHere('platform', 'list');
    expect(stdout).to.match(/^PLATFORM +STATUS +FORMAT +RULE +NAMED RULES +ALGORITHMS +ACCOUNTS\n/);
    expect(stdout).to.match(/\nalpha +active +A +jcs +- +ed25519 +1\n/);
    const shown = await place.commandHere('platform', 'show', '--platform', 'alpha');
    expect(shown.stdout)
      .to.match(/^platform +alpha\nstatus +active\nformat +A\n/)
      .and.match(/\naccounts +1: main\n/);
    await place.prepare('platform', 'add', '--preset', 'coinbase');
    const tokens = await place.commandHere('platform', 'show', '--platform', 'coinbase');
    expect(tokens.stdout).to.match(/\nencoding +signatures are whole tokens \(jws-compact\)\n/);
    const unknown = await place.commandHere('platform', 'show', '--platform', 'omega');
    expect(unknown.exitCode).to.equal(2);
    expect(unknown.stderr).to.include('No such platform: "omega".');
  });

  it('show the permissions that cover an account, or that there is no list', async () => {
    const none = await place.commandHere('permission', 'list');
    expect(none.stdout).to.match(/^The credentials file has no permissions list, so every caller may /);
    const file = place.path('credentials.json');
    const content = JSON.parse(readFileSync(file, 'utf8'));
    const permissions = [
      { principals: ['bot-*'], operations: ['sign'], accounts: ['alpha/*'] },
      { principals: ['ops'], operations: ['reload', 'status'] },
    ];
    writeFileSync(file, JSON.stringify({ ...content, permissions }));
    const { stdout } = await place.commandHere('permission', 'list');
    expect(stdout).to.match(
      /^INDEX +PRINCIPALS +OPERATIONS +ACCOUNTS\n0 +bot-\* +sign +alpha\/\*\n1 +ops +reload, status +-\n$/,
    );
    const filtered = await place.commandHere('permission', 'list', '--platform', 'alpha', '--json');
    expect(JSON.parse(filtered.stdout)).to.deep.equal({
      hasList: true,
      permissions: [{ index: 0, ...permissions[0] }],
      total: 1,
    });
    const other = await place.commandHere('permission', 'list', '--platform', 'spare');
    expect(other.stdout).to.equal('No permissions.\n');
  });

  it('remove a platform only without accounts', async () => {
    const refused = await place.commandHere('platform', 'remove', '--platform', 'alpha');
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('Platform "alpha" has an account: main; nothing was changed.');
    const { stdout } = await place.commandHere('platform', 'remove', '--platform', 'spare');
    expect(stdout).to.match(/^Platform spare removed\.\nA running service/);
  });
});

describe('The passphrase of an API key', () => {
  const place = useWorkplace();
  const ids = ['--platform', 'kucoin', '--account', 'main'];
  const apiKey = ['--value', 'apiKey=key-1'];
  let nextSteps: string;
  /** By OpenSSL, as KuCoin documents it. */
  const expected = createHmac('sha256', 'my-secret').update('my-passphrase').digest('base64');

  before(async () => {
    nextSteps = await place.prepare('platform', 'add', '--preset', 'kucoin');
    await place.prepare('platform', 'add', '--platform', 'plain', '--format', 'any', '--rule', 'prehash');
    writeFileSync(place.path('secret'), 'my-secret\n', { mode: 0o600 });
    writeFileSync(place.path('passphrase'), 'my-passphrase\n', { mode: 0o600 });
    writeFileSync(place.path('two-lines'), 'my\npassphrase\n', { mode: 0o600 });
  });

  const files = (passphrase: string) => [
    ...['--key-file', place.path('secret'), '--passphrase-file', place.path(passphrase)],
  ];
  const accounts = () => JSON.parse(readFileSync(place.path('credentials.json'), 'utf8')).accounts;

  it('is in the next step of platform add, and its absence is refused', async () => {
    expect(nextSteps)
      .to.include('--key-file main.key --passphrase-file main.passphrase')
      .and.match(/main\.passphrase, readable only by you, contains the passphrase of the API key/);
    const message =
      "is required, since each request to kucoin carries the HMAC of the API key's passphrase; or set the value passphrase to that HMAC";
    const secret = ['--key-file', place.path('secret')];
    const refused = await place.commandHere('account', 'add', ...ids, ...apiKey, ...secret);
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include(`--passphrase-file ${message}. Nothing was changed.`);
    writeFileSync(place.path('accounts.csv'), 'platformId,accountId,keyFile,values.apiKey\nkucoin,main,secret,key-1\n');
    const rows = await place.commandHere('account', 'import', place.path('accounts.csv'));
    expect(rows.exitCode).to.equal(2);
    expect(rows.stderr.replaceAll(/\s+/g, ' ')).to.include(`passphraseFile ${message}`);
    expect(accounts()).to.deep.equal([]);
    await place.prepare('account', 'add', ...ids, ...apiKey, ...secret, '--value', `passphrase=${expected}`);
    expect(accounts()[0].values).to.deep.equal({ apiKey: 'key-1', passphrase: expected });
    const again = await place.commandHere('account', 'import', place.path('accounts.csv'), '--skip-existing');
    expect(again.exitCode, again.stderr).to.equal(0);
    await place.prepare('account', 'disable', ...ids);
    await place.prepare('account', 'remove', ...ids);
  });

  it('is stored as its HMAC with the secret, by account add and account import alike', async () => {
    const { stdout, exitCode } = await place.commandHere('account', 'add', ...ids, ...apiKey, ...files('passphrase'));
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('its key and, as its value passphrase, the HMAC of the passphrase. Delete ');
    const rows = 'platformId,accountId,keyFile,passphraseFile,values.apiKey\nkucoin,second,secret,passphrase,key-1\n';
    writeFileSync(place.path('accounts.csv'), rows);
    await place.prepare('account', 'import', place.path('accounts.csv'));
    expect(accounts().map(({ values }: { values: unknown }) => values)).to.deep.equal([
      { apiKey: 'key-1', passphrase: expected },
      { apiKey: 'key-1', passphrase: expected },
    ]);
    expect(JSON.stringify(accounts())).to.not.include('my-passphrase');
  });

  it('is made again with a new key, which requires it', async () => {
    writeFileSync(place.path('new-secret'), 'new-secret\n', { mode: 0o600 });
    const replace = (...options: readonly string[]) =>
      place.commandHere('account', 'replace-key', ...ids, '--key-file', place.path('new-secret'), ...options);
    const refused = await replace();
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('--passphrase-file is required, since the value passphrase of the account');
    const { exitCode, stdout } = await replace('--passphrase-file', place.path('passphrase'));
    expect(exitCode).to.equal(0);
    expect(stdout).to.include('Account main of kucoin has another key in ');
    const made = createHmac('sha256', 'new-secret').update('my-passphrase').digest('base64');
    expect(accounts()[0].values).to.deep.equal({ apiKey: 'key-1', passphrase: made });
    writeFileSync(place.path('right-passphrase'), 'another-passphrase\n', { mode: 0o600 });
    const correction = await replace('--passphrase-file', place.path('right-passphrase'));
    expect(correction.stdout).to.include('Account main of kucoin keeps its key, with the new values, in ');
    const corrected = createHmac('sha256', 'new-secret').update('another-passphrase').digest('base64');
    expect(accounts()[0].values, 'same key').to.deep.equal({ apiKey: 'key-1', passphrase: corrected });
  });

  it('is not changed or removed by account edit, which names the command that does', async () => {
    const before = accounts();
    for (const options of [
      ['--value', 'passphrase=my-passphrase'],
      ['--remove-value', 'passphrase'],
    ]) {
      const refused = await place.commandHere('account', 'edit', ...ids, '--alias', 'Main', ...options);
      expect(refused.exitCode, options[0]).to.equal(2);
      expect(refused.stderr).to.include('account replace-key --platform kucoin --account main --key-file FILE ');
      expect(refused.stderr).to.include('--passphrase-file FILE. Nothing was changed.');
    }
    expect(accounts()).to.deep.equal(before);
    const same = await place.commandHere(
      'account',
      'edit',
      ...ids,
      '--value',
      `passphrase=${before[0].values.passphrase}`,
    );
    expect(same.stdout).to.include('has these values already');
    await place.prepare('account', 'edit', ...ids, '--alias', 'Main');
  });

  it('is refused where it has no meaning or cannot be read, without its text', async () => {
    const hmac = ['--algorithm', 'hmac-sha256'];
    const third = ['--platform', 'kucoin', '--account', 'third'];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[...third, '--passphrase-file', 'x'], /--passphrase-file requires a key file/],
      [
        ['--platform', 'plain', '--account', 'a', ...hmac, ...files('passphrase')],
        /only for platforms with the option/,
      ],
      [['--platform', 'plain', '--account', 'a', '--algorithm', 'ed25519', ...files('passphrase')], /only for HMAC/],
      [[...third, ...apiKey, ...files('passphrase'), '--value', 'passphrase=x'], /conflicts with the value passphrase/],
      [[...third, ...apiKey, ...files('two-lines')], /two-lines: it has more than one line/],
      [[...third, ...apiKey, ...files('missing')], /--passphrase-file does not exist: give the path of a file/],
    ];
    const before = accounts();
    for (const [args, message] of cases) {
      const { stderr, exitCode } = await place.commandHere('account', 'add', ...args);
      expect(exitCode, args.join(' ')).to.not.equal(0);
      expect(stderr).to.match(message).and.not.include('my-passphrase');
    }
    const row = 'platformId,accountId,keyFile,passphraseFile,values.apiKey\nkucoin,third,secret,two-lines,key-1\n';
    writeFileSync(place.path('wrong.csv'), row);
    const imported = await place.commandHere('account', 'import', place.path('wrong.csv'), '--dry-run');
    expect(imported.stderr.replaceAll(/\s+/g, ' ')).to.match(/passphraseFile \S+two-lines: it has more than one line/);
    expect(accounts()).to.deep.equal(before);
  });
});

describe('Platform changes', () => {
  const place = useWorkplace();
  const alpha = ['--platform', 'alpha'];

  before(async () => {
    await place.prepare('platform', 'add', ...alpha, '--format', 'A');
  });

  const statusOf = async () => JSON.parse(readFileSync(place.path('credentials.json'), 'utf8')).platforms[0].status;

  it('are reported by disable and enable, as text and as JSON, also when nothing changes', async () => {
    for (const [command, status, written] of [
      ['disable', 'disabled', 'disabled'],
      ['enable', 'active', undefined],
    ] as const) {
      for (let times = 0; times < 2; times += 1) {
        const { stdout, exitCode } = await place.commandHere('platform', command, ...alpha);
        expect(exitCode).to.equal(0);
        expect(stdout).to.match(new RegExp(`^Platform alpha is ${status}\\.\\nA running service picks this up`));
        expect(await statusOf()).to.equal(written);
        const json = await place.commandHere('platform', command, ...alpha, '--json');
        expect(JSON.parse(json.stdout)).to.deep.equal({ platform: { platformId: 'alpha', status } });
      }
    }
  });

  it('are reported if an account of a disabled platform is enabled', async () => {
    const main = [...alpha, '--account', 'main'];
    await place.prepare('account', 'add', ...main);
    await place.prepare('platform', 'disable', ...alpha);
    const warning =
      'its platform is disabled, so it signs nothing; to enable it, run signing-service platform enable --platform alpha';
    const { stdout } = await place.commandHere('account', 'enable', ...main);
    expect(stdout).to.include(`Account main of alpha is active.\nwarning: ${warning}.\nA running`);
    const json = await place.commandHere('account', 'enable', ...main, '--json');
    expect(JSON.parse(json.stdout).cautions).to.deep.equal([warning]);
  });

  it('are refused for an unknown platform', async () => {
    for (const command of ['disable', 'enable']) {
      const refused = await place.commandHere('platform', command, '--platform', 'omega', '--json');
      expect(refused.exitCode).to.equal(2);
      expect(JSON.parse(refused.stderr).error.message).to.equal(
        'Platform "omega" does not exist; nothing was changed.',
      );
    }
  });
});

describe('Disabling an account that shares its key', () => {
  const place = useWorkplace([
    'platform add --platform treasury --format any --algorithm eip191',
    'platform add --platform perps --format any --rule typed-data',
  ]);
  const hot = ['--platform', 'treasury', '--account', 'hot'];
  const status = async () => {
    const { accounts } = JSON.parse(await place.prepare('account', 'list', '--json'));
    const named = accounts.map((one: { [field: string]: string }) => [
      `${one['platformId']}/${one['accountId']}`,
      one['status'],
    ]);
    return Object.fromEntries(named);
  };

  before(async () => {
    writeFileSync(place.path('hot.key'), 'ab'.repeat(32));
    const keyFile = ['--key-file', place.path('hot.key')];
    await place.prepare('account', 'add', ...hot, ...keyFile);
    for (const account of ['main', 'spare']) {
      await place.prepare('account', 'add', '--platform', 'perps', '--account', account, ...keyFile);
    }
    await place.prepare('account', 'add', '--platform', 'perps', '--account', 'other');
  });

  it('names the other accounts, and leaves them unchanged', async () => {
    const { stdout } = await place.commandHere('account', 'disable', ...hot);
    expect(stdout).to.match(
      /^Account hot of treasury is disabled\.\nwarning: its key is also used by perps\/main \(eip712\), perps\/spare \(eip712\), still active; /,
    );
    expect(stdout).to.include('--same-key');
    expect(await status()).to.include({
      'treasury/hot': 'disabled',
      'perps/spare': 'active',
      'perps/main': 'active',
    });
  });

  it('also disables only the other accounts with --same-key, in one change', async () => {
    const { stdout } = await place.commandHere('account', 'disable', ...hot, '--same-key', '--json');
    const document = JSON.parse(stdout);
    expect(document).to.deep.equal({
      account: { platformId: 'treasury', accountId: 'hot', status: 'disabled' },
      sameKey: [
        { platformId: 'perps', accountId: 'main', algorithm: 'eip712', status: 'disabled' },
        { platformId: 'perps', accountId: 'spare', algorithm: 'eip712', status: 'disabled' },
      ],
      cautions: [],
    });
    expect(await status()).to.include({
      'perps/spare': 'disabled',
      'perps/main': 'disabled',
      'perps/other': 'active',
    });
    const again = await place.commandHere('account', 'disable', ...hot, '--same-key');
    expect(again.stdout).to.match(
      /^Account hot of treasury is disabled\. Also disabled \(same key\): perps\/main \(eip712\), perps\/spare \(eip712\)\.\nA running/,
    );
  });

  it('names some accounts that it could not compare and counts the rest, also with --same-key', async () => {
    const file = place.path('credentials.json');
    const content = JSON.parse(readFileSync(file, 'utf8'));
    const unknown = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7'].map((accountId) => ({
      ...{ platformId: 'perps', accountId, algorithm: 'eip712', key: { file: `${accountId}.key` } },
    }));
    writeFileSync(file, JSON.stringify({ ...content, accounts: [...content.accounts, ...unknown] }));
    for (const options of [[], ['--same-key']]) {
      const { stdout } = await place.commandHere('account', 'disable', ...hot, ...options);
      expect(stdout).to.include(
        '\nwarning: perps/u1, perps/u2, perps/u3, perps/u4, perps/u5 and 2 more could not be compared because ',
      );
    }
  });
});

describe('An HMAC secret of several accounts', () => {
  const place = useWorkplace();
  const secret = '00112233445566778899aabbccddeeff';
  const main = ['--platform', 'spot', '--account', 'main'];

  before(async () => {
    const add = (platform: string, algorithm: string, ...options: readonly string[]) =>
      place.prepare(
        ...['platform', 'add', '--platform', platform, '--format', 'any', '--algorithm', algorithm, ...options],
      );
    await add('spot', 'hmac-sha256');
    await add('futures', 'hmac-sha256', '--secret-decoding', 'hex');
    await add('other', 'hmac-sha512');
    writeFileSync(place.path('secret'), secret);
    writeFileSync(place.path('secret.hex'), Buffer.from(secret).toString('hex'));
    await place.prepare('account', 'add', ...main, '--key-file', place.path('secret'));
  });

  const futures = ['--platform', 'futures', '--account', 'main'];

  it('is reported by account add and account import, in any encoding', async () => {
    const { stdout } = await place.commandHere('account', 'add', ...futures, '--key-file', place.path('secret.hex'));
    expect(stdout).to.include(
      '\nwarning: its key is also used by spot/main (hmac-sha256); if it leaks, disable all of them',
    );
    writeFileSync(
      place.path('more.csv'),
      'platformId,accountId,keyFile\nspot,twin,secret\nspot,triplet,secret\nother,main,secret\n',
    );
    const imported = await place.commandHere('account', 'import', place.path('more.csv'), '--json');
    const end = (account: string) =>
      `if it leaks, disable all of them with signing-service account disable --platform spot --account ${account} --same-key`;
    const both = 'spot/main (hmac-sha256), futures/main (hmac-sha256)';
    expect(JSON.parse(imported.stdout).cautions).to.deep.equal([
      `spot/twin: its key is also used by ${both}; ${end('twin')}`,
      `spot/triplet: its key is also used by ${both}, spot/twin (hmac-sha256); ${end('triplet')}`,
    ]);
  });

  it('stops all of them by account disable --same-key, and names the other algorithm as not compared', async () => {
    const plain = await place.commandHere('account', 'disable', ...futures);
    expect(plain.stdout).to.include(
      'warning: its key is also used by spot/main (hmac-sha256), spot/twin (hmac-sha256), ',
    );
    expect(plain.stdout).to.not.include('could not be compared');
    const { stdout } = await place.commandHere('account', 'disable', ...futures, '--same-key');
    expect(stdout).to.include(
      '\nwarning: other/main could not be compared because another HMAC algorithm gives the same secret a different ID; check whether they use the same key.\n',
    );
    const { accounts } = JSON.parse(await place.prepare('account', 'list', '--json'));
    const active = accounts.filter(({ status }: { status: string }) => status === 'active');
    expect(active.map(({ platformId }: { platformId: string }) => platformId)).to.deep.equal(['other']);
  });
});

describe('A key for preset orderly, added as platform presets says', () => {
  const place = useWorkplace(['platform add --preset orderly']);
  const seed = Buffer.alloc(32, 7);

  for (const [account, prefix] of [
    ['with', 'ed25519:'],
    ['without', ''],
  ] as const) {
    it(`is taken ${account} its prefix`, async () => {
      const file = place.path(account);
      writeFileSync(file, `${prefix}${bs58.encode(seed)}\n`, { mode: 0o600 });
      const [format = ''] = /--key-format \w+/.exec(await place.prepare('platform', 'presets', 'orderly')) ?? [];
      const options = ['--platform', 'orderly', '--account', account, '--key-file', file, ...format.split(' ')];
      const added = await place.prepare('account', 'add', ...options.filter((option) => option !== ''), '--json');
      expect(JSON.parse(added).account.publicKey).to.equal(bs58.encode(ed25519PublicKey(seed)));
    });
  }
});
