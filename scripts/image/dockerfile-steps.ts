import { DockerfileParser, type JSONInstruction, type PropertyInstruction } from 'dockerfile-ast';

/** One instruction of a Dockerfile. */
export interface Step {
  /** In capitals, such as `RUN`. */
  readonly keyword: string;
  /** The line on which it begins, 1 is the first. */
  readonly line: number;
  /** Options before the arguments, such as `from` of `COPY --from=build`. */
  readonly flags: { readonly [name: string]: string };
  /** What stands behind keyword and options, on one line. */
  readonly text: string;
  /** The texts of its array form, `["node", …]`, if it has that form. */
  readonly words: readonly string[] | null;
  /** Names and values of ENV, ARG and LABEL; null where there is no value. */
  readonly properties: { readonly [name: string]: string | null };
}

/** What stands between two FROM instructions. The steps before the first one are the first entry's `before`. */
export interface Stage {
  /** `scratch`, or a name of an image in which arguments are not yet replaced by their values. */
  readonly base: string;
  /** What COPY --from calls it; its number where it has no name. */
  readonly name: string;
  readonly steps: readonly Step[];
}

/** A Dockerfile: the arguments before its first FROM, then its stages. */
export interface DockerfileSteps {
  readonly arguments: { readonly [name: string]: string | null };
  readonly stages: readonly Stage[];
}

/** Reads a Dockerfile into the steps that a build takes, in their order. */
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
    properties: propertiesOf(instruction),
  };
}

/** The array may follow a word, as in `HEALTHCHECK CMD ["node"]`. */
function arrayForm(text: string): readonly string[] | null {
  const start = text.indexOf('[');
  if (!/^(?:CMD )?\[/.test(text)) return null;
  try {
    return JSON.parse(text.slice(start));
  } catch {
    return null;
  }
}

function propertiesOf(instruction: Instruction): { readonly [name: string]: string | null } {
  if ('getProperties' in instruction) {
    const properties = (instruction as PropertyInstruction).getProperties();
    return Object.fromEntries(properties.map((property) => [property.getName(), property.getValue()]));
  }
  return {};
}
