// Checks the words of the project: declared names, comments, messages of the catalogue, and the text of templates.
// The rules are in vocabulary.ts. It fails when it read too little: a checker that reads nothing must not pass.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import {
  AVOIDED_AS_LOCALS,
  AVOIDED_BEGINNINGS,
  AVOIDED_IN_NAMES,
  AVOIDED_IN_SENTENCES,
  type AvoidedWord,
  BINDING_VERBS,
  EXCEPTIONS,
  LONGEST_SENTENCE,
  TEST_EXCEPTIONS,
} from './vocabulary.ts';

export interface VocabularyProblem {
  readonly file: string;
  readonly line: number;
  /** The name or the beginning of the sentence. */
  readonly text: string;
  readonly why: string;
}

export interface VocabularyReport {
  readonly names: number;
  readonly comments: number;
  readonly messages: number;
  /** Parameters that docstrings describe. */
  readonly parameters: number;
  /** Comments and printed lines of the templates. */
  readonly templateTexts: number;
  readonly problems: readonly VocabularyProblem[];
}

/** Folders that hold sources. Generated and quoted text (fixtures, golden files) is not checked. */
const FOLDERS = ['src', 'screens', 'bin', 'test'];
const SKIPPED = /^test\/(?:fixtures|golden|torture\/data)\/|^test\/tools\/(?:check-)?vocabulary\.ts$/;
/** The messages that users read, and the words of generated files outside their templates. */
const CATALOGUE = /^src\/(?:i18n\/en\/|artifacts\/file-words\.ts$)/;
/** Words of the field that end like a participle or a gerund. */
const NOUNS =
  /^(?:binding|finding|heading|mapping|rating|rendering|routing|scheduling|setting|sizing|spacing|string|timing|warning|wording|embed|feed|need|seed|speed|ping|ring|bring|encoding|listing|logging|monitoring|networking|padding|reading|opening|spelling|keepalived|named|dhcpd|sshd|chronyd|firewalld|nested|pending|missing|existing|unified|shared|embedded)$/;

type Node = { readonly type: string; readonly start: number } & Record<string, unknown>;

/** Checks every source below `root`. */
export function checkVocabulary(root: string): VocabularyReport {
  const problems: VocabularyProblem[] = [];
  const count = { names: 0, comments: 0, messages: 0, parameters: 0, templateTexts: 0 };
  for (const file of listSources(root)) {
    const text = readFileSync(join(root, file), 'utf8');
    const { program, comments, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    const lineAt = createLineIndex(text);
    const add = (start: number, what: string, why: string) =>
      problems.push({ file, line: lineAt(start), text: what, why });
    for (const { node, name, kind } of listDeclarations(program as unknown as Node)) {
      count.names += 1;
      const isException = name in EXCEPTIONS || (file.startsWith('test/') && name in TEST_EXCEPTIONS);
      // Tests compare what a function found with what they expect.
      const why = isException ? null : checkName(name, kind === 'local' && file.startsWith('test/') ? 'other' : kind);
      if (why !== null) add(node.start, name, why);
    }
    for (const { start, value } of joinLineComments(comments, text)) {
      count.comments += 1;
      for (const why of checkComment(value)) add(start, value.trim().slice(0, 60), why);
    }
    for (const { start, name, parameterNames } of listDocumentedParameters(
      program as unknown as Node,
      comments,
      text,
    )) {
      count.parameters += 1;
      if (!parameterNames.includes(name)) add(start, `@param ${name}`, 'the function below has no such parameter');
    }
    if (CATALOGUE.test(file))
      for (const { node, value } of listTexts(program as unknown as Node)) {
        count.messages += 1;
        // A text without a blank is an id.
        const avoided = value.includes(' ') ? findAvoided(AVOIDED_IN_SENTENCES, value) : undefined;
        if (avoided !== undefined) add(node.start, value.slice(0, 60), `write: ${avoided.instead}`);
        for (const sentence of findLongSentences(value))
          add(node.start, sentence.slice(0, 60), `a sentence has more than ${LONGEST_SENTENCE} words`);
      }
  }
  for (const file of listTemplates(root))
    for (const { line, text } of listTemplateTexts(file, readFileSync(join(root, file), 'utf8'))) {
      count.templateTexts += 1;
      for (const why of checkComment(text)) problems.push({ file, line, text: text.trim().slice(0, 60), why });
    }
  return { ...count, problems };
}

type DeclarationKind = 'function' | 'type' | 'local' | 'other';

/** Why a declared name breaks a rule; null when it does not. */
export function checkName(name: string, kind: DeclarationKind): string | null {
  const words = splitName(name);
  for (const word of words) {
    const avoided = findAvoided(AVOIDED_IN_NAMES, word);
    if (avoided !== undefined) return `"${word}": use ${avoided.instead}`;
  }
  const [first = ''] = words;
  const last = words.at(-1) ?? '';
  const isParticiple = (word: string) => /.(?:ed|ing)$/.test(word) && !NOUNS.test(word);
  const isGerund = isParticiple(first) && first.endsWith('ing');
  if (kind === 'type' && isParticiple(last)) return 'a type is a noun';
  // Components are nouns, and `failedCheck(…)` is a noun with its adjective.
  const isComponent = /^[A-Z]/.test(name);
  if (kind === 'function' && !isComponent && (isGerund || (words.length === 1 && isParticiple(first))))
    return 'a function begins with a verb';
  if (kind === 'function' && /^bindings?$/.test(last) && words.length > 1 && !BINDING_VERBS.test(first))
    return 'a function that returns key bindings begins with create, get or list';
  if (kind === 'local' && AVOIDED_AS_LOCALS.word.test(name)) return `use ${AVOIDED_AS_LOCALS.instead}`;
  if (kind === 'function' && words.length > 1 && last === 'of') return 'a verb says what is computed';
  return null;
}

/** Why a comment breaks a rule, once for each rule. */
export function checkComment(comment: string): string[] {
  // Lines that are indented by four are a drawing or an example.
  const prose = comment.replaceAll(/^[ \t]*\*+/gm, '').replaceAll(/^ {4,}.*$/gm, '.');
  const text = prose.replaceAll(/\s+/g, ' ').trim();
  const quoteless = text.replaceAll(/`[^`]*`|"[^"]*"|'[^' ]+'|https?:\S+/g, 'x');
  const problems: string[] = [];
  const avoided = findAvoided(AVOIDED_IN_SENTENCES, quoteless);
  if (avoided !== undefined) problems.push(`write: ${avoided.instead}`);
  const sentences = quoteless.split(/(?<=[.:;?!]) |@\w+ |\n/);
  if (AVOIDED_BEGINNINGS.test(text)) problems.push('begin with the subject');
  if (sentences.some((sentence) => sentence.split(' ').length > LONGEST_SENTENCE))
    problems.push(`a sentence has more than ${LONGEST_SENTENCE} words`);
  return problems;
}

/** Stands for a value or a quotation in a message. */
const VALUE = '\u2423';
/** Several of them: `"--host", "--only" and "--json"`. */
const VALUE_LIST = new RegExp(`${VALUE}(?:, ${VALUE})*,? (?:and|or) ${VALUE}|${VALUE}(?:, ${VALUE})+`, 'g');

/**
 * Finds the sentences of a message that have too many words. A sentence ends with its full stop, before a command in
 * backticks, which has its own line, or at a colon before a list of three or more. A value, a quotation and a list of
 * these are one word each.
 * @param message the text, with VALUE for each value
 */
export function findLongSentences(message: string): string[] {
  const text = message
    .replaceAll(/`[^`]*`/g, '\n')
    .replaceAll(/"[^"]*"/g, VALUE)
    .replaceAll(VALUE_LIST, VALUE);
  return text
    .split(/(?<=[.?!]\)?)\s|\n|(?<=:) (?=[^.?!\n]*[,;] [^.?!\n]*[,;] )/)
    .filter((sentence) => (sentence.match(/\S*[\p{L}\p{N}\u2423]\S*/gu) ?? []).length > LONGEST_SENTENCE);
}

/** Returns the words of a name in small letters: `parseCSRName` -> `parse`, `csr`, `name`. */
function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_$#/:.-]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

function findAvoided(table: readonly AvoidedWord[], text: string): AvoidedWord | undefined {
  return table.find(({ word }) => word.test(text));
}

function listSources(root: string): string[] {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((name) => /\.(?:tsx?|c?js)$/.test(name) && !name.endsWith('.d.ts') && !SKIPPED.test(name));
}

function listTemplates(root: string): string[] {
  const dir = join(root, 'templates');
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eta'));
  return names.map((name) => `templates/${name}`);
}

/** A comment of a template, with the blanks before its text. */
const TEMPLATE_COMMENT = /^\s*(?:#|\/\/|;)(?: (.*))?$/;
/** Commands and keys of a template whose text a user reads: in quotes, or up to the end of the line. */
const PRINTED_TEXT =
  /\b(?:say|fail|echo|printf|menuentry) (?:"([^"]+)"|'([^']+)')|^\s*(?:(?:menu|item|echo|set reason|Description=|(?:- )?(?:name|msg|fail_msg):) ?)([^"'].*)/;
/** Blanks before an example in a comment: usage lines and numbered steps. */
const EXAMPLE = /^ {2,}/;
/** A paragraph or a heading of a document. */
const DOCUMENT_LINE = /^(?:#+ )?(?=[^\s|#])/;

/**
 * Lists the comments and the printed text of a template, with the values of its tags as one word each. Lines of one
 * comment are joined; each example in it is a text of its own.
 */
function* listTemplateTexts(
  file: string,
  template: string,
): Generator<{ readonly line: number; readonly text: string }> {
  const isDocument = /\.(?:md|txt)\.eta$/.test(file);
  const lines = template.split('\n').map((line) => line.replaceAll(/<%[=~].*?%>/g, 'x'));
  let comment: { readonly line: number; text: string } | null = null;
  for (const [index, source] of lines.entries()) {
    // Tags without a value may stand inside a comment; a line that holds only such tags does not end it.
    const untagged = source.replaceAll(/<%.*?%>/g, '');
    if (untagged.trim() === '' && source !== untagged) continue;
    const text = isDocument ? untagged.replace(DOCUMENT_LINE, '# ') : untagged;
    const [isComment, commentText = ''] = TEMPLATE_COMMENT.exec(text) ?? [];
    const isProse = isComment !== undefined && commentText !== '' && !EXAMPLE.test(commentText);
    if (comment !== null && !isProse) {
      yield comment;
      comment = null;
    }
    if (isProse && comment !== null) comment.text += ` ${commentText}`;
    else if (isProse) comment = { line: index + 1, text: commentText };
    else if (isComment !== undefined) yield { line: index + 1, text: commentText.trim() };
    else {
      const [, ...printedTexts] = PRINTED_TEXT.exec(text) ?? [];
      const printedText = printedTexts.find((candidate) => candidate !== undefined);
      if (printedText?.includes(' ')) yield { line: index + 1, text: printedText };
    }
  }
  if (comment !== null) yield comment;
}

function createLineIndex(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

/** Runs of `//` lines read as one comment. */
function joinLineComments(
  comments: readonly { readonly type: string; readonly value: string; readonly start: number; readonly end: number }[],
  text: string,
): { readonly start: number; readonly value: string }[] {
  const joined: { start: number; end: number; value: string; isLine: boolean }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = joined.at(-1);
    const isLine = type === 'Line';
    if (
      last?.isLine &&
      isLine &&
      /^\s*$/.test(text.slice(last.end, start)) &&
      !/\n\s*\n/.test(text.slice(last.end, start))
    ) {
      last.value += ` ${value.trim()}`;
      last.end = end;
    } else joined.push({ start, end, value, isLine });
  }
  return joined.filter(({ value }) => !/biome-ignore|@ts-|<reference|v8 ignore/.test(value));
}

/** Lists the `@param` names of each docstring, with the parameters of the function below it. */
function* listDocumentedParameters(
  program: Node,
  comments: readonly { readonly type: string; readonly value: string; readonly start: number; readonly end: number }[],
  text: string,
): Generator<{ readonly start: number; readonly name: string; readonly parameterNames: readonly string[] }> {
  const docstrings = comments.filter(({ type, value }) => type === 'Block' && /^\*.*@param\s/s.test(value));
  for (const { start, end, value } of docstrings) {
    const declarationStart = end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
    const parameterNames = findParameterNames(program, declarationStart);
    for (const [, name = ''] of value.matchAll(/@param\s+(?:\{[^}]*\}\s+)?([\w$]+)/g))
      yield { start, name, parameterNames };
  }
}

/**
 * Finds the parameters of the first function in the declaration that starts at `start`, with the properties of
 * destructured ones; empty if there is no function.
 */
function findParameterNames(program: Node, start: number): string[] {
  for (const declaration of walk(program)) {
    if (declaration.start !== start || declaration === program) continue;
    for (const { type, params } of walk(declaration))
      if (/Function|MethodSignature/.test(type) && Array.isArray(params)) return params.flatMap(listPatternNames);
  }
  return [];
}

/** Lists the names of a parameter: its own, or those of the properties that it takes from an object. */
function listPatternNames(value: unknown): string[] {
  if (!isNode(value)) return [];
  if (value.type === 'Identifier') return [String(value.name)];
  if (value.type === 'AssignmentPattern') return listPatternNames(value.left);
  if (value.type === 'RestElement') return listPatternNames(value.argument);
  if (value.type === 'TSParameterProperty') return listPatternNames(value.parameter);
  if (value.type === 'ArrayPattern') return (value.elements as unknown[]).flatMap(listPatternNames);
  if (value.type !== 'ObjectPattern') return [];
  return (value.properties as Node[]).flatMap((property) => [
    ...listPatternNames(property.key),
    ...listPatternNames(property.value ?? property.argument),
  ]);
}

/** Lists every name that a file declares, by what it names. */
function* listDeclarations(
  root: Node,
): Generator<{ readonly node: Node; readonly name: string; readonly kind: DeclarationKind }> {
  for (const node of walk(root)) {
    const { type } = node;
    if (type === 'FunctionDeclaration') yield* namesIn(node.id, 'function');
    else if (/^(?:TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(type))
      yield* namesIn(node.id, 'type');
    else if (type === 'VariableDeclarator') {
      const init = node.init as Node | null;
      const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
      yield* namesIn(node.id, isFunction ? 'function' : 'local');
    } else if (
      /^(?:TSPropertySignature|TSMethodSignature|MethodDefinition|PropertyDefinition)$/.test(type) &&
      node.computed !== true
    )
      yield* namesIn(node.key, 'other');
    for (const parameter of (node.params as Node[] | undefined) ?? [])
      if (typeof parameter === 'object' && /Function|Arrow|MethodSignature/.test(type))
        yield* namesIn(parameter, 'local');
    // The values of a union of strings are names as well: `kind: 'whole' | 'part'`.
    const { literal } = node as { readonly literal?: Node };
    if (type === 'TSLiteralType' && literal?.type === 'Literal' && typeof literal.value === 'string')
      yield { node, name: literal.value, kind: 'other' };
  }
}

function* namesIn(
  value: unknown,
  kind: DeclarationKind,
): Generator<{ readonly node: Node; readonly name: string; readonly kind: DeclarationKind }> {
  const node = value as Node | null;
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') yield { node, name: String(node.name), kind };
  else if (node.type === 'ObjectPattern')
    for (const property of node.properties as Node[])
      yield* namesIn(property.value ?? property.argument, property.shorthand === false ? 'local' : 'other');
  else if (node.type === 'ArrayPattern')
    for (const element of node.elements as unknown[]) yield* namesIn(element, 'other');
  else if (node.type === 'AssignmentPattern') yield* namesIn(node.left, kind);
  else if (node.type === 'RestElement') yield* namesIn(node.argument, kind);
}

/** Lists the texts of a file: its strings, and its templates with VALUE for each value. */
function* listTexts(root: Node): Generator<{ readonly node: Node; readonly value: string }> {
  for (const node of walk(root)) {
    if (node.type === 'Literal' && typeof node.value === 'string') yield { node, value: node.value };
    else if (node.type === 'TemplateLiteral') {
      const parts = node.quasis as { readonly value: { readonly cooked: string } }[];
      yield { node, value: parts.map(({ value }) => value.cooked).join(VALUE) };
    }
  }
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const each of value) if (isNode(each)) yield* walk(each);
    } else if (isNode(value)) yield* walk(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(fileURLToPath(import.meta.url), '../../..');
  const { names, comments, messages, parameters, templateTexts, problems } = checkVocabulary(root);
  for (const { file, line, text, why } of problems) console.error(`${relative('.', file)}:${line}: ${text}: ${why}`);
  const exceptions = Object.keys({ ...EXCEPTIONS, ...TEST_EXCEPTIONS }).length;
  console.log(
    `${names} names, ${comments} comments, ${messages} messages, ${templateTexts} texts of templates, ${parameters} documented parameters, ${exceptions} exceptions, ${problems.length} problems`,
  );
  const isBlind = names < 10_000 || comments < 1_000 || messages < 1_000 || parameters < 200 || templateTexts < 200;
  if (isBlind) console.error('too little was read: the checker does not see the sources');
  process.exitCode = problems.length > 0 || exceptions > 30 || isBlind ? 1 : 0;
}
