import { expect } from 'chai';
import { listSchemaIssues, schemaMessage } from '../../../../../src/adapters/credentials/credential-issue.ts';
import { platformSchema } from '../../../../../src/adapters/credentials/schema/platform-schema.ts';

/** Issues of a platform with this rule, as `path message`. */
function findIssues(rule: object, platform: object = { algorithms: ['es256'] }): readonly string[] {
  const entry = { platformId: 'alpha', format: 'any', ...platform, payload: { rule: 'jwt', ...rule } };
  const { error } = platformSchema.safeParse(entry, { error: schemaMessage });
  return listSchemaIssues(error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
}

const NONCE = { nonce: '{data.nonce}' };

describe('platformSchema, rule jwt', () => {
  it('accepts its options, and has a default', () => {
    expect(findIssues({})).to.deep.equal([]);
    const claims = { aud: ['a', '{account.name}'], exp: { time: 's', expiresIn: 120 }, 'https://x.example/y': 'z' };
    expect(findIssues({ header: NONCE, claims, queryHash: { encode: 'none' } })).to.deep.equal([]);
  });

  for (const [name, rule, path, message] of [
    ['a lifetime of more than 120 s', { claims: { exp: { time: 's', expiresIn: 121 } } }, 'payload.claims.exp', /120/],
    ['a lifetime of 0 s', { claims: { exp: { time: 's', expiresIn: 0 } } }, 'payload.claims.exp', /1 to 120/],
    ['a reserved member of the header', { header: { alg: 'none' } }, 'payload.header', /reserved name/],
    ['critical headers', { header: { crit: ['b64'], nonce: '{data.nonce}' } }, 'payload.header', /reserved name/],
    ['an invalid name', { claims: { ...NONCE, '1': 'a' } }, 'payload.claims', /invalid name/],
    ['a placeholder of other rules', { claims: { a: '{body}' } }, 'payload.claims.a', /no other placeholders/],
    ['an unmatched brace', { claims: { a: '{data.x' } }, 'payload.claims.a', /unmatched brace/],
    [
      'a claim that queryHash adds',
      { claims: { ...NONCE, query_hash: 'x' }, queryHash: {} },
      'payload.claims',
      /absent/,
    ],
    ['a constant token', { claims: { iss: '{account.name}' } }, 'payload', /must take a part of the request/],
    ['an unknown option', { lifetime: 60 }, 'payload', /lifetime/],
  ] as const) {
    it(`rejects ${name}`, () => {
      const issues = findIssues(rule);
      expect(issues.length).to.be.greaterThan(0);
      expect(issues[0])
        .to.satisfy((issue: string) => issue.startsWith(path))
        .and.to.match(message);
    });
  }

  it('rejects algorithms that sign no tokens, and formats whose data never fits', () => {
    expect(findIssues({}, { algorithms: ['es256', 'eip191'] })[0]).to.match(/^payload.rule cannot be jwt for eip191/);
    expect(findIssues({}, { algorithms: ['es256'], format: 'D' })[0]).to.match(
      /^payload.rule cannot be jwt for formats/,
    );
  });

  it('rejects an encoding of a named rule, which has no effect', () => {
    const rules = { login: { rule: 'jwt', encoding: 'hex' } };
    expect(findIssues({}, { algorithms: ['es256'], rules })).to.deep.equal([
      'rules.login.encoding has no effect on a token, whose parts are base64url; remove it',
    ]);
  });
});
