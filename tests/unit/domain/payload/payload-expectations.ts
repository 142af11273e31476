import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { PayloadOutcome, PayloadParts } from '../../../../src/domain/model/payload.ts';

/** Expects a payload of that text whose bytes are the text's UTF-8 form, as Node encodes it. */
export function expectText(outcome: PayloadOutcome, text: string): void {
  expectBytes(outcome, text, Buffer.from(text, 'utf8').toString('hex'));
}

/** Expects a payload of that text and of those bytes, given in hex. */
export function expectBytes(outcome: PayloadOutcome, text: string, hex: string): void {
  if (!outcome.ok) throw new Error(`refused: ${outcome.issue.path} ${outcome.issue.message}`);
  expect(outcome.payload.text).to.equal(text);
  expect(Buffer.from(outcome.payload.bytes).toString('hex')).to.equal(hex);
}

/** Expects a refusal that names that place and says something like that. */
export function expectIssue(outcome: PayloadOutcome, path: string, message: RegExp): void {
  if (outcome.ok) throw new Error('accepted');
  expect(outcome.issue.path).to.equal(path);
  expect(outcome.issue.message).to.match(message);
}

/** Expects a payload with exactly those parts for the caller to send; undefined: with none. */
export function expectParts(outcome: PayloadOutcome, parts: PayloadParts | undefined): void {
  if (!outcome.ok) throw new Error(`refused: ${outcome.issue.path} ${outcome.issue.message}`);
  expect(outcome.payload.parts).to.deep.equal(parts);
}
