import { quoteShellArg } from '../platform/shell-quoting.ts';
import { takeOption } from '../platform/take-option.ts';
import type { Catalogue } from './en/index.ts';

let activeCatalogue: Catalogue | null = null;
let languageCode: string | null = null;
let isLanguageExplicit = false;

/**
 * Returns the texts of the active language. Read a text only when it is shown: a stored sentence would stay in the
 * language of that moment.
 * @throws Error when no language was chosen yet
 */
export function catalogue(): Catalogue {
  if (activeCatalogue === null) throw new Error('the catalogue was read before a language was chosen');
  return activeCatalogue;
}

/**
 * Makes a translation the active one.
 * @param language the code of its language
 * @param isExplicit whether the user chose the language with `--lang`; otherwise the environment selects it
 */
export function setCatalogue(translation: Catalogue, language: string, isExplicit = false): void {
  activeCatalogue = translation;
  languageCode = language;
  isLanguageExplicit = isExplicit;
}

/** Returns the arguments that make another process of ours use this language, independent of its environment. */
export const getLanguageArgs = (): readonly string[] => (languageCode === null ? [] : ['--lang', languageCode]);

/** Returns the `--lang` arguments for a process that inherits our environment: none unless the user gave `--lang`. */
export const getExplicitLanguageArgs = (): readonly string[] => (isLanguageExplicit ? getLanguageArgs() : []);

let programName = () => 'upi-wizard';
let shortProgramName = programName;

/**
 * Sets the program name that printed commands begin with, so that they match the way this run was started.
 * @param name returns the program name; called each time a command is printed
 * @param shortName returns the name, possibly a shorter one, for commands to type in the current directory
 */
export function setProgramName(name: () => string, shortName = name): void {
  programName = name;
  shortProgramName = shortName;
}

let installDirectory: string | null = null;

/** Sets the install directory that printed commands name: another terminal may have used another one last. */
export function setInstallDirectory(dir: string | null): void {
  installDirectory = dir;
}

/** A command of upi-wizard on an installation, with its arguments as a group. */
const DIRECTORY_COMMAND =
  /(?<=^|[;|&] )upi-wizard (?:answer|attach|bundle|check|csr|detach|diagnose|doctor|event|export|hosts|infra|report|status|--plain)(?= |$)[^;|&<>]*(?<! )/g;
const TARGET_OPTION = / --(?:bundle|design|dir|kubeconfig)\b/;

/** Adds the install directory of this run to each command of upi-wizard that takes it and names no other target. */
export function addInstallDirectory(command: string): string {
  if (installDirectory === null) return command;
  const option = ` --dir ${quoteShellArg(installDirectory)}`;
  return command.replaceAll(DIRECTORY_COMMAND, (match) => (TARGET_OPTION.test(match) ? match : match + option));
}

/** Adds the install directory to the commands between backticks in a sentence. */
export const addInstallDirectories = (text: string): string =>
  text.replaceAll(/(?<=`)[^`]+(?=`)/g, (command) => addInstallDirectory(command));

/**
 * Replaces each `upi-wizard` that begins a command (`upi-wizard csr list`) by the program name of this run, and adds
 * the install directory.
 */
export const replaceProgramName = (command: string): string =>
  addInstallDirectory(command).replaceAll(/(?<=^|[;|&] )upi-wizard(?= )/g, () => formatCommandLine());

/** Returns the command line of upi-wizard with these arguments, and with `--lang` if the user gave that option. */
export const formatCommandLine = (...argv: readonly string[]) =>
  [programName(), ...[...argv, ...getExplicitLanguageArgs()].map(quoteShellArg)].join(' ');

/** Returns a command line of upi-wizard that works in the current directory only: shorter in a checkout. */
export const formatShortCommandLine = (...argv: readonly string[]) =>
  [shortProgramName(), ...[...argv, ...getExplicitLanguageArgs()].map(quoteShellArg)].join(' ');

/**
 * The available languages, each loaded only when it is chosen. A new language is a folder beside `en`, and a line here.
 */
const LANGUAGES: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: async () => (await import('./en/index.ts')).english,
};
const DEFAULT_LANGUAGE = 'en';

/** Returns the codes of the available languages. */
export const listLanguageCodes = (): readonly string[] => Object.keys(LANGUAGES);

/** Detects the language of the environment (`ja_JP.UTF-8` is `ja`); English if that language is not available. */
export function detectLanguage(env: Readonly<Record<string, string | undefined>>): string {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  const code = /^[a-z]{2,3}(?=$|[_.@-])/i.exec(locale)?.[0].toLowerCase() ?? DEFAULT_LANGUAGE;
  return Object.hasOwn(LANGUAGES, code) ? code : DEFAULT_LANGUAGE;
}

/**
 * Loads a language and makes it the active one, once at the start of a program.
 * @param code a code of `listLanguageCodes`
 * @param isExplicit whether the user chose the language with `--lang`
 * @throws Error for an unknown code
 */
export async function loadLanguage(code: string, isExplicit = false): Promise<void> {
  const load = Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined;
  if (load === undefined) throw new Error(`no language is called ${code}`);
  setCatalogue(await load(), code, isExplicit);
}

/** The arguments of `loadLanguage` for the language that the start of the program selected. */
let selectedLanguage: Parameters<typeof loadLanguage> = [DEFAULT_LANGUAGE];

/**
 * Loads the selected language, unless a language is loaded. A program that seldom prints a text calls this function
 * only before printing: the texts take 14 MiB of memory.
 */
export async function ensureLanguage(): Promise<void> {
  if (activeCatalogue === null) await loadLanguage(...selectedLanguage);
}

interface SelectedLanguage {
  /** The arguments without `--lang L`. */
  readonly argv: readonly string[];
  /** The value of `--lang` if that language is not available, and the environment's is used; else null. */
  readonly unknownCode: string | null;
}

/**
 * Selects the language at the start of a program: that of `--lang L` (the last one, if given twice), else that of the
 * environment. Loads nothing yet.
 * @param argv the arguments of one of our programs
 */
export function selectLanguage(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SelectedLanguage {
  const { argv: otherArgs, value: code } = takeOption(argv, '--lang');
  const isKnown = code !== undefined && Object.hasOwn(LANGUAGES, code);
  selectedLanguage = isKnown ? [code, true] : [detectLanguage(env)];
  return { argv: otherArgs, unknownCode: isKnown ? null : (code ?? null) };
}

/** Selects the language at the start of a program, as `selectLanguage`, and loads it. */
export async function initLanguage(...args: Parameters<typeof selectLanguage>): Promise<SelectedLanguage> {
  const selection = selectLanguage(...args);
  await loadLanguage(...selectedLanguage);
  return selection;
}

/** Whether a typed answer is `y` or `yes`, in lower or upper case. An empty answer does not count. */
export function isYesAnswer(text: string): boolean {
  return /^y(?:es)?$/i.test(text.trim());
}

/** Whether a typed answer is empty, `n` or `no`, in lower or upper case. */
export function isNoAnswer(text: string): boolean {
  return /^(?:no?)?$/i.test(text.trim());
}
