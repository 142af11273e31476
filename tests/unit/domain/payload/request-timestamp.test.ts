import { expect } from 'chai';
import type { JsonValue } from '../../../../src/domain/model/json.ts';
import { toOutcome } from '../../../../src/domain/payload/payload-outcome.ts';
import { renderTimestamp } from '../../../../src/domain/payload/request-timestamp.ts';
import type { TimestampForm } from '../../../../src/domain/payload/rule-options.ts';

function written(timestamp: JsonValue, form?: TimestampForm) {
  return toOutcome(() => renderTimestamp({ timestamp }, form));
}

function expectRefused(timestamp: JsonValue, form: TimestampForm | undefined, message: RegExp): void {
  const outcome = written(timestamp, form);
  if (outcome.ok) throw new Error(`accepted ${JSON.stringify(timestamp)}`);
  expect(outcome.refusal.path).to.equal('data.timestamp');
  expect(outcome.refusal.message).to.match(message);
}

const NO_TIMES: readonly JsonValue[] = ['', null, {}, '2020-12-08T09:08:57.715', '2020-02-30T00:00:00.000Z'];

describe('renderTimestamp', () => {
  it('accepts the text as sent if the platform requires no format', () => {
    for (const text of ['2020-12-08T09:08:57.715Z', '1700000000000', '1700000000.123', 'é', '']) {
      expect(written(text)).to.deep.equal({ ok: true, value: text });
    }
    expect(written(1700000000000)).to.deep.equal({ ok: true, value: '1700000000000' });
    for (const value of [1.5, null, true, {}]) expectRefused(value, undefined, /^must be a string or an integer/);
    expectRefused('1\n2', undefined, /^must not contain control characters/);
  });

  it('iso: rejects everything else', () => {
    for (const value of [...NO_TIMES, 1607418537715, '1607418537715', '2020-12-08T09:08:57Z']) {
      expectRefused(
        value,
        'iso',
        /^must be an ISO 8601 time in UTC with milliseconds, such as 2020-12-08T09:08:57\.715Z$/,
      );
    }
  });

  it('ms: rejects seconds, microseconds, fractional milliseconds and invalid times', () => {
    const wrong = [1607418537, '1607418537', 1607418537715000, '0607418537715', 1607418537715.5, '1607418537715 '];
    for (const value of [...NO_TIMES, ...wrong, '2001-09-09T01:46:39.999Z']) {
      expectRefused(value, 'ms', /^must be the milliseconds since 1970-01-01T00:00:00Z, 13 digits/);
    }
  });

  it('s: rejects milliseconds, fractional seconds and invalid times', () => {
    const wrong = [1607418537715, '1607418537715', 1607418537.5, '0607418537', '2020-12-08T09:08:57.715Z'];
    for (const value of [...NO_TIMES, ...wrong, '2001-09-09T01:46:39Z']) {
      expectRefused(value, 's', /^must be the seconds since 1970-01-01T00:00:00Z, 10 digits/);
    }
  });

  it('s-fraction: signs the digits as sent, of a number as in JSON', () => {
    const forms: readonly (readonly [JsonValue, string])[] = [
      ['1700000000.1234567', '1700000000.1234567'],
      ['1700000000.50', '1700000000.50'],
      ['1700000000', '1700000000'],
      [1700000000.1234567, '1700000000.1234567'],
      [1700000000, '1700000000'],
      ['2020-12-08T09:08:57.715Z', '1607418537.715'],
    ];
    for (const [timestamp, value] of forms) {
      expect(written(timestamp, 's-fraction')).to.deep.equal({ ok: true, value });
    }
    const wrong = [1607418537715, '1607418537715', '1607418537.', '1607418537.1234567890', '1.6074185375e9', '.5'];
    for (const value of [...NO_TIMES, ...wrong, '0607418537.5', '2001-09-09T01:46:39.999Z']) {
      expectRefused(value, 's-fraction', /^must be the seconds since 1970-01-01T00:00:00Z, 10 digits and at most 9/);
    }
  });
});
