import type { english } from './en/index.ts';
import { shellWord } from './shell-word.ts';

/**
 * What a language has to say where English says `T`: any string for a string, a function of the same parts for a function of
 * parts. So a second language is typed by the first one, and a sentence stands in one place only.
 */
type Words<T> = T extends string
  ? string
  : T extends (...parts: infer Parts) => infer Said
    ? (...parts: Parts) => Words<Said>
    : T extends readonly (infer Each)[]
      ? readonly Words<Each>[]
      : T extends object
        ? { readonly [Key in keyof T]: Words<T[Key]> }
        : T;

/** Every sentence that a person reads, by area. A language is a folder whose index satisfies this. */
export type Catalogue = Words<typeof english>;

let chosen: Catalogue | null = null;
let code: string | null = null;
let isNamed = false;

/** The words of the chosen language. They are looked up when they are shown: a module that keeps one would keep its language. */
export function catalogue(): Catalogue {
  if (chosen === null) throw new Error('a sentence was asked for before a language was chosen');
  return chosen;
}

/**
 * Makes these the words that are shown from now on.
 * @param language its code
 * @param wasNamed a person named it with `--lang`, instead of leaving it to the environment
 */
export function speak(words: Catalogue, language: string, wasNamed = false): void {
  chosen = words;
  code = language;
  isNamed = wasNamed;
}

/** The option that lets another process of ours speak this language, whatever its environment says. */
export const languageOption = (): readonly string[] => (code === null ? [] : ['--lang', code]);

/** The same for a process that has our environment: nothing, unless a person named the language. */
export const namedLanguage = (): readonly string[] => (isNamed ? languageOption() : []);

let programName = () => 'upi-wizard';

/** Commands that are printed begin with this from now on: as this run was started. Asked only when one is printed. */
export function calledAs(name: () => string): void {
  programName = name;
}

/** A command that names ours by its name alone (`upi-wizard csr list`), as a person types it here. */
export const asStarted = (command: string): string =>
  command.replaceAll(/(?<=^|[;|&] )upi-wizard(?= )/g, () => commandLine());

/** A command of ours as a person types it (`upi-wizard --dir D`); it names the language if a person named it to us. */
export const commandLine = (...argv: readonly string[]) =>
  [programName(), ...[...argv, ...namedLanguage()].map(shellWord)].join(' ');
