import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { documentationPage } from '../../../../../src/adapters/http/documentation/documentation-page.ts';
import { curlCommand } from '../../../../../src/adapters/http/documentation/endpoint-section.ts';
import { html, inline, jsonHtml } from '../../../../../src/adapters/http/documentation/html.ts';
import { listEndpoints, type ReadDocument } from '../../../../../src/adapters/http/documentation/read-document.ts';
import { apiDocument } from '../../../../../src/adapters/http/openapi/api-document.ts';
import type { JsonValue } from '../../../../../src/domain/model/json.ts';

const HOSTILE = `"><script>alert('1')</script>&`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

/** Decodes the entities that the page uses. */
function textOf(markup: string): string {
  const names: { readonly [entity: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return markup.replace(/<[^<>]*>/g, '').replace(/&([^;]+);/g, (_, name: string) => names[name] ?? '');
}

describe('HTML templates', () => {
  it('escape every text, in content, attributes and lists', () => {
    expect(html`<b title="${HOSTILE}">${HOSTILE}</b>`.text).to.equal(`<b title="${ESCAPED}">${ESCAPED}</b>`);
    expect(html`${[HOSTILE, [HOSTILE]]}`.text).to.equal(`${ESCAPED}${ESCAPED}`);
    expect(inline(`a \`${HOSTILE}\` ${HOSTILE}`).text).to.equal(`a <code>${ESCAPED}</code> ${ESCAPED}`);
  });

  it('render JSON as JSON.stringify does', () => {
    const values: readonly JsonValue[] = [
      { a: [1, { b: null, c: HOSTILE }], empty: {}, none: [], nested: { deep: { deeper: [true, false, '\n'] } } },
      ...[[], {}, 'text', -1.5e-7, null],
    ];
    for (const value of values) expect(textOf(jsonHtml(value).text)).to.equal(JSON.stringify(value, null, 2));
    expect(jsonHtml({ [HOSTILE]: HOSTILE }).text).not.to.include('<script');
  });
});

describe('The documentation page', () => {
  it('shows commands that pass the body unchanged through a shell', () => {
    const document = apiDocument({ maxBatch: 7 }) as unknown as ReadDocument;
    const sign = listEndpoints(document).find(({ operationId }) => operationId === 'sign');
    if (sign === undefined) throw new Error('There is no such endpoint.');
    const body = { text: `it's "$HOME" \`id\` \\` };
    const command = curlCommand(document, sign, body).replace(/^curl /, 'printf "%s\\0" ');
    const given = execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { SERVICE: 'http://x' } }).split('\0');
    expect(given[0]).to.equal('http://x/api/v1/sign');
    expect(JSON.parse(given[given.indexOf('-d') + 1] ?? '')).to.deep.equal(body);
  });

  it('names every field of requests and responses, and every error code', () => {
    const document = apiDocument({ maxBatch: 7 });
    const { html: page } = documentationPage(document);
    const text = textOf(page);
    const { schemas } = document['components'] as { schemas: { [name: string]: { properties?: object } } };
    const names = Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties));
    expect(names.length).to.be.greaterThan(60);
    for (const name of new Set(names)) expect(text, name).to.include(name);
    expect(text).to.include('1 to 7 items');
  });
});
