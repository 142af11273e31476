import { expect } from 'chai';
import { formatSigned, toSignedJson } from '../../../../../src/adapters/cli/policy/signed-text.ts';
import { Decimal, type SignedValue } from '../../../../../src/domain/model/payload.ts';

const VALUE: SignedValue = new Map<string, SignedValue>([
  ['text', 'a "b"\u202e'],
  ['int', 9223372036854775807n],
  ['decimal', new Decimal('0.100000000000000000001')],
  ['list', [true, null, new Map([['__proto__', '1']])]],
]);

describe('Signed values', () => {
  it('are shown as conditions write them, without characters that a terminal interprets', () => {
    expect(formatSigned(VALUE)).to.equal(
      '{"text": "a \\"b\\"\\u202e", "int": 9223372036854775807, ' +
        '"decimal": decimal("0.100000000000000000001"), "list": [true, null, {"__proto__": "1"}]}',
    );
  });

  it('have numbers with every digit in JSON, which differ from texts', () => {
    expect(JSON.stringify(toSignedJson(VALUE))).to.equal(
      '{"text":"a \\"b\\"\u202e","int":"int(9223372036854775807)",' +
        '"decimal":"decimal(0.100000000000000000001)","list":[true,null,{"__proto__":"1"}]}',
    );
    expect(toSignedJson('17')).to.equal('17');
  });
});
