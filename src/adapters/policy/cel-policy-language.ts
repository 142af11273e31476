import { TypeError as CelTypeError, Environment, ParseError, type ParseResult } from '@marcbachmann/cel-js';
import { Decimal, type SignedContent, type SignedFields } from '../../domain/model/payload.ts';
import type { Amount, Condition, Expression, PolicyFacts } from '../../domain/model/policy.ts';
import { accepted, type Outcome, refused } from '../../domain/model/refusal.ts';
import type { PolicyLanguage } from '../../ports/policy-language.ts';
import { findExpressionIssue, findNames, findSignedFields } from './cel-expression.ts';
import { compareDecimals, computeDecimal, parseDecimal } from './decimal-arithmetic.ts';

/** Bounds an expression: a list of 1000 symbols, and some hundred terms. */
const LIMITS = { maxAstNodes: 5000, maxDepth: 50, maxListElements: 1000, maxMapEntries: 100, maxCallArguments: 8 };

/** `signed` in an expression: an object with the fields of one request. */
class Signed {
  constructor(content: SignedContent) {
    Object.assign(this, content);
  }
}

/** The variables of an expression. */
class Context {
  readonly signed: Signed;
  readonly principal: string;
  readonly platform: string;
  readonly rule: string;
  readonly account: string;
  readonly environment: string;
  readonly #now: number;

  constructor(facts: PolicyFacts) {
    this.signed = new Signed(facts.signed);
    this.principal = facts.principal;
    this.platform = facts.platform;
    this.rule = facts.rule;
    this.account = facts.account;
    this.environment = facts.environment;
    this.#now = facts.now;
  }

  get now(): Date {
    return new Date(this.#now);
  }
}

/** One for all expressions on a request, which are evaluated one after the other. */
class LatestContext {
  #facts: PolicyFacts | undefined;
  #context: Context | undefined;

  of(facts: PolicyFacts): Context {
    if (this.#context === undefined || this.#facts !== facts) this.#context = new Context(facts);
    this.#facts = facts;
    return this.#context;
  }
}

const latest = new LatestContext();

/** CEL by @marcbachmann/cel-js, with a type `decimal`. */
export class CelPolicyLanguage implements PolicyLanguage {
  /** By their fields: an environment is expensive to make. */
  readonly #environments = new Map<string, Environment>();

  compile(expression: string, fields: SignedFields): Outcome<Condition, string> {
    const compiled = this.#compile(expression, fields);
    if (!compiled.ok) return compiled;
    const { parsed, type } = compiled.value;
    if (type !== 'bool') return refused(`must be a boolean, but is of type ${type}: compare it with a value`);
    return accepted(new CelCondition(parsed));
  }

  compileAmount(expression: string, fields: SignedFields): Outcome<Amount, string> {
    const compiled = this.#compile(expression, fields);
    if (!compiled.ok) return compiled;
    const { parsed, type } = compiled.value;
    if (type !== 'decimal' && type !== 'int') {
      return refused(`must be a decimal or an integer, but is of type ${type}: convert strings with decimal()`);
    }
    return accepted(new CelAmount(parsed));
  }

  #compile(
    expression: string,
    fields: SignedFields,
  ): Outcome<{ readonly parsed: ParseResult; readonly type: string | undefined }, string> {
    const environment = this.#environmentFor(fields);
    let parsed: ParseResult;
    try {
      parsed = environment.parse(expression);
    } catch (error) {
      return refused(`does not compile: ${getSummary(error)}`);
    }
    const issue = findExpressionIssue(parsed.ast, fields);
    if (issue !== undefined) return refused(issue);
    const checked = parsed.check();
    if (!checked.valid) return refused(`does not compile: ${getSummary(checked.error)}`);
    return accepted({ parsed, type: checked.type });
  }

  #environmentFor(fields: SignedFields): Environment {
    const key = JSON.stringify(Object.entries(fields).toSorted());
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const environment = createEnvironment(fields);
    this.#environments.set(key, environment);
    return environment;
  }
}

abstract class CelExpression implements Expression {
  readonly fields: readonly string[];
  readonly names: readonly string[];
  readonly #evaluate: ParseResult;

  constructor(parsed: ParseResult) {
    this.#evaluate = parsed;
    this.fields = findSignedFields(parsed.ast);
    this.names = findNames(parsed.ast);
  }

  protected evaluate(facts: PolicyFacts): unknown {
    // The library types contexts as plain records.
    return this.#evaluate(latest.of(facts) as unknown as Record<string, unknown>);
  }
}

class CelCondition extends CelExpression implements Condition {
  matches(facts: PolicyFacts): boolean {
    const result = this.evaluate(facts);
    if (typeof result !== 'boolean') throw new TypeError('The condition is not a boolean.');
    return result;
  }
}

class CelAmount extends CelExpression implements Amount {
  compute(facts: PolicyFacts): Decimal {
    const result = this.evaluate(facts);
    if (typeof result === 'bigint') return new Decimal(String(result));
    if (result instanceof Decimal) return result;
    throw new TypeError('The sum is neither a decimal nor an integer.');
  }
}

/** Without the excerpt of the expression, with the place in it. */
function getSummary(error: unknown): string {
  if (!(error instanceof ParseError || error instanceof CelTypeError)) return String(error);
  const { summary, range } = error;
  return range === undefined ? summary : `${summary} (at character ${range.start + 1})`;
}

function createEnvironment(fields: SignedFields): Environment {
  const environment = new Environment({ limits: LIMITS })
    .registerType('decimal', { ctor: Decimal, fields: {} })
    .registerType('Signed', { ctor: Signed, fields: { ...fields } })
    .registerVariable('signed', 'Signed')
    .registerVariable('principal', 'string')
    .registerVariable('platform', 'string')
    .registerVariable('rule', 'string')
    .registerVariable('account', 'string')
    .registerVariable('environment', 'string')
    .registerVariable('now', 'google.protobuf.Timestamp')
    .registerFunction('decimal(string): decimal', parseDecimal)
    .registerFunction('decimal(int): decimal', (value: bigint) => new Decimal(String(value)))
    .registerFunction('decimal(decimal): decimal', (value: Decimal) => value);
  for (const [left, right] of [
    ['decimal', 'decimal'],
    ['decimal', 'int'],
    ['int', 'decimal'],
  ]) {
    registerOperators(environment, left as Operand, right as Operand);
  }
  return environment;
}

type Operand = 'decimal' | 'int';
type Value = Decimal | bigint;

function registerOperators(environment: Environment, left: Operand, right: Operand): void {
  const compare = (operator: string, isTrue: (order: number) => boolean) =>
    environment.registerOperator(`${left} ${operator} ${right}: bool`, (a: Value, b: Value) =>
      isTrue(compareDecimals(a, b)),
    );
  compare('<', (order) => order < 0);
  compare('<=', (order) => order <= 0);
  compare('>', (order) => order > 0);
  compare('>=', (order) => order >= 0);
  // CEL defines != and the other order of operands with it.
  if (left === 'decimal') compare('==', (order) => order === 0);
  for (const operator of ['+', '-', '*'] as const) {
    environment.registerOperator(`${left} ${operator} ${right}: decimal`, (a: Value, b: Value) =>
      computeDecimal(a, operator, b),
    );
  }
}
