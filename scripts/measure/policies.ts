import { measurePolicyDecisions } from '../bench/policy-decisions.ts';

/* Cost of policies (docs/decisions/0023-policies.md). A few seconds. */

for (const [name, microseconds] of await measurePolicyDecisions()) {
  process.stdout.write(`${microseconds.toFixed(2).padStart(7)} µs  ${name}\n`);
}
