import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BinaryExpression, type Literal, parse, type TemplateLiteral } from 'acorn';
import { parse as parseYaml } from 'yaml';

/** Words with a space between them; a name, a code or a path alone is no text. */
const PROSE = /[A-Za-z]{2,}[^A-Za-z]{0,3} [^A-Za-z]{0,2}[A-Za-z]{2,}/;

/** Scripts of Redis and shells, and the style sheet of /docs. */
const CODE =
  /\bredis\.call\(|\bCOMP_WORDS\b|^#compdef|\bfunctions? [{_]|\bcomplete -c |\bcommandline -opc|\bcompopt\b|font-family/;

/** Generated code, whose texts are a schema's. */
const GENERATED = /(^|\/)generated\//;

interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly { readonly annotations: { readonly summary: string; readonly description?: string } }[];
  }[];
}

/** Of Markdown's rules only wording applies to the list. */
const HEAD = `<!-- markdownlint-disable -->
<!-- markdownlint-enable search-replace -->

# Texts that users read`;

interface Dashboard {
  readonly description: string;
  readonly panels: readonly {
    readonly title: string;
    readonly description?: string;
    readonly targets?: readonly { readonly legendFormat: string }[];
  }[];
}

/** Texts of one source file. */
export interface FileTexts {
  readonly file: string;
  readonly texts: readonly string[];
}

/**
 * Every text in the built program that a user may read: messages, help, log entries, summaries and
 * descriptions, metric help. `{…}` stands for a value.
 * @param root the repository, built
 */
export function programTexts(root: string): readonly FileTexts[] {
  return readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !GENERATED.test(file))
    .toSorted()
    .map((file) => ({
      file: `src/${file.replace(/\.js$/, '.ts')}`,
      texts: textsOf(readFileSync(join(root, 'dist', file), 'utf8')),
    }))
    .filter(({ texts }) => texts.length > 0);
}

/** Texts of the alert rules: summaries and descriptions. */
export function alertTexts(root: string): FileTexts {
  const file = 'deploy/prometheus/alerts.yml';
  const { groups }: AlertRules = parseYaml(readFileSync(join(root, file), 'utf8'));
  const annotations = groups.flatMap(({ rules }) => rules.map((rule) => rule.annotations));
  return {
    file,
    texts: annotations.flatMap(({ summary, description }) => [summary, description ?? '']).filter(Boolean),
  };
}

/** Texts of the dashboard: titles, descriptions and legends. */
export function dashboardTexts(root: string): FileTexts {
  const file = 'deploy/grafana/signing-service.json';
  const { description, panels }: Dashboard = JSON.parse(readFileSync(join(root, file), 'utf8'));
  const shown = panels.flatMap((panel) => [
    ...[panel.title, panel.description ?? ''],
    ...(panel.targets ?? []).map(({ legendFormat }) => legendFormat),
  ]);
  return { file, texts: [description, ...new Set(shown)].filter((text) => text !== '') };
}

/** The texts as one Markdown document. */
export function textList(files: readonly FileTexts[]): string {
  const sections = files.map(({ file, texts }) => {
    const items = texts.map((text) => `- ${text.trim().replace(/\s*\n\s*/g, '\n  ')}`);
    return [`## ${file}`, '', ...items].join('\n');
  });
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}

function textsOf(source: string): readonly string[] {
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  return [...new Set(findTexts(program))].filter((text) => PROSE.test(text) && !CODE.test(text));
}

/** Texts of a syntax tree, in order. */
function* findTexts(node: unknown): Generator<string> {
  if (!isNode(node)) return;
  const text = toText(node);
  if (text !== undefined) yield text;
  // Text sides of a sum are part of its text.
  const isSum = text !== undefined && 'left' in node;
  for (const child of Object.values(node).flat()) {
    if (!(isSum && isNode(child) && toText(child) !== undefined)) yield* findTexts(child);
  }
}

function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Text of a string, of a template, or of a sum that contains one of them. */
function toText(node: object): string | undefined {
  if (!('type' in node)) return undefined;
  if (node.type === 'Literal') {
    const { value } = node as Literal;
    return typeof value === 'string' ? value : undefined;
  }
  if (node.type === 'TemplateLiteral') {
    return (node as TemplateLiteral).quasis.map(({ value }) => value.cooked).join('{…}');
  }
  if (node.type !== 'BinaryExpression') return undefined;
  const { operator, left, right } = node as BinaryExpression;
  const texts = [toText(left), toText(right)];
  if (operator !== '+' || texts.every((text) => text === undefined)) return undefined;
  return texts.map((text) => text ?? '{…}').join('');
}
