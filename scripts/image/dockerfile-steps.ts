import { DockerfileParser, type JSONInstruction, type PropertyInstruction } from 'dockerfile-ast';

/** An instruction. */
export interface Step {
  /** In capitals: `RUN`. */
  readonly keyword: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** Options before the arguments: `from` of `COPY --from=build`. */
  readonly flags: { readonly [name: string]: string };
  /** Arguments on one line. */
  readonly text: string;
  /** Array form, `["node", …]`; null: another form. */
  readonly words: readonly string[] | null;
  /** Of ENV, ARG and LABEL; null: no value. */
  readonly properties: { readonly [name: string]: string | null };
}

/** The steps from a FROM to the next. */
export interface Stage {
  /** `scratch`, or an image name with unresolved arguments. */
  readonly base: string;
  /** Name for COPY --from; its number without one. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Arguments before the first FROM, and the stages. */
export interface DockerfileSteps {
  readonly arguments: { readonly [name: string]: string | null };
  readonly stages: readonly Stage[];
}

/** Parses a Dockerfile. */
export function readDockerfile(text: string): DockerfileSteps {
  const steps = DockerfileParser.parse(text).getInstructions().map(toStep);
  const first = steps.findIndex(({ keyword }) => keyword === 'FROM');
  const froms = steps.flatMap(({ keyword }, index) => (keyword === 'FROM' ? [index] : []));
  return {
    arguments: Object.assign({}, ...steps.slice(0, first).map(({ properties }) => properties)),
    stages: froms.map((at, index) => {
      const [base = '', , name = String(index)] = (steps[at]?.text ?? '').split(' ');
      return { base, name, steps: steps.slice(at + 1, froms[index + 1]) };
    }),
  };
}

type Instruction = ReturnType<ReturnType<typeof DockerfileParser.parse>['getInstructions']>[number];

function toStep(instruction: Instruction): Step {
  const flags = 'getFlags' in instruction ? (instruction as JSONInstruction).getFlags() : [];
  const text = instruction.getArgumentsContent() ?? '';
  return {
    keyword: instruction.getKeyword(),
    line: instruction.getRange().start.line + 1,
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    text,
    words: arrayForm(text),
    properties: toProperties(instruction),
  };
}

/** A word may precede it: `HEALTHCHECK CMD ["node"]`. */
function arrayForm(text: string): readonly string[] | null {
  const start = text.indexOf('[');
  if (!/^(?:CMD )?\[/.test(text)) return null;
  try {
    return JSON.parse(text.slice(start));
  } catch {
    return null;
  }
}

function toProperties(instruction: Instruction): { readonly [name: string]: string | null } {
  if ('getProperties' in instruction) {
    const properties = (instruction as PropertyInstruction).getProperties();
    return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue()]));
  }
  return {};
}
