import { jcsPayload } from '../../../../../src/domain/payload/rules/jcs.ts';
import { expectBytes, expectIssue, expectText } from '../payload-expectations.ts';

describe('payload rule jcs', () => {
  it('signs a string in that field verbatim, not as JSON', () => {
    expectBytes(jcsPayload({ message: 'hello' }, { rule: 'jcs', field: 'message' }), 'hello', '68656c6c6f');
    expectText(jcsPayload({ message: '{"b": 1, "a":2}' }, { rule: 'jcs', field: 'message' }), '{"b": 1, "a":2}');
    expectText(jcsPayload({ message: '0xdeadbeef' }, { rule: 'jcs', field: 'message' }), '0xdeadbeef');
  });

  it('rejects data without the field and names it', () => {
    expectIssue(
      jcsPayload({ other: 'x' }, { rule: 'jcs', field: 'message' }),
      'data.message',
      /^is missing; it must be/,
    );
    expectIssue(jcsPayload({}, { rule: 'jcs', field: 'odd field' }), 'data["odd field"]', /^is missing/);
  });
});
