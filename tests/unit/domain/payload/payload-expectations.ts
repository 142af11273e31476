import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { Issue } from '../../../../src/domain/model/errors.ts';
import type { Payload, PayloadParts } from '../../../../src/domain/model/payload.ts';
import type { Outcome } from '../../../../src/domain/model/refusal.ts';

/** Expects a payload of this text in UTF-8. */
export function expectText(outcome: Outcome<Payload, Issue>, text: string): void {
  expectBytes(outcome, text, Buffer.from(text, 'utf8').toString('hex'));
}

/** Expects a payload of this text and these bytes, in hex. */
export function expectBytes(outcome: Outcome<Payload, Issue>, text: string, hex: string): void {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.path} ${outcome.refusal.message}`);
  expect(outcome.value.text).to.equal(text);
  expect(Buffer.from(outcome.value.bytes).toString('hex')).to.equal(hex);
}

/** Expects a refusal with this path and message. */
export function expectIssue(outcome: Outcome<Payload, Issue>, path: string, message: RegExp): void {
  if (outcome.ok) throw new Error('accepted');
  expect(outcome.refusal.path).to.equal(path);
  expect(outcome.refusal.message).to.match(message);
}

/** Expects these named parts. */
export function expectParts(outcome: Outcome<Payload, Issue>, parts: PayloadParts): void {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.path} ${outcome.refusal.message}`);
  expect(outcome.value.parts).to.deep.equal(parts);
}
