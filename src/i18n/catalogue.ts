import { quoteShellArg } from '../platform/shell-quoting.ts';
import type { english } from './en/index.ts';

/**
 * The type of a translation of `T`: a string for a string, and for a function one with the same parameters. The first
 * language thus types every other one, and each sentence has one place.
 */
type Translation<T> = T extends string
  ? string
  : T extends (...parts: infer Parts) => infer Result
    ? (...parts: Parts) => Translation<Result>
    : T extends readonly (infer Item)[]
      ? readonly Translation<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Translation<T[Key]> }
        : T;

/** All user-visible text, by area. A language is a folder whose index satisfies this type. */
export type Catalogue = Translation<typeof english>;

let active: Catalogue | null = null;
let languageCode: string | null = null;
let isExplicit = false;

/**
 * The text of the active language. Look it up when it is shown: a module that stores a sentence would keep its
 * language.
 * @throws Error when no language was chosen yet
 */
export function catalogue(): Catalogue {
  if (active === null) throw new Error('the catalogue was read before a language was chosen');
  return active;
}

/**
 * Sets the text that is shown from now on.
 * @param language its code
 * @param wasNamed the user named it with `--lang`, instead of leaving it to the environment
 */
export function setCatalogue(translation: Catalogue, language: string, isNamed = false): void {
  active = translation;
  languageCode = language;
  isExplicit = isNamed;
}

/** Returns the arguments that make another process of ours use this language, independent of its environment. */
export const languageArgs = (): readonly string[] => (languageCode === null ? [] : ['--lang', languageCode]);

/** Returns the same for a process that inherits our environment: empty unless the user named the language. */
export const explicitLanguageArgs = (): readonly string[] => (isExplicit ? languageArgs() : []);

let programName = () => 'upi-wizard';

/**
 * Sets how printed commands begin: as this run was started.
 * @param name called each time a command is printed
 */
export function setProgramName(name: () => string): void {
  programName = name;
}

/** Returns a command that starts with the bare program name (`upi-wizard csr list`), as you type it here. */
export const withProgramName = (command: string): string =>
  command.replaceAll(/(?<=^|[;|&] )upi-wizard(?= )/g, () => commandLine());

/** Returns one of our commands as you type it (`upi-wizard --dir D`). It names the language if you named it. */
export const commandLine = (...argv: readonly string[]) =>
  [programName(), ...[...argv, ...explicitLanguageArgs()].map(quoteShellArg)].join(' ');
