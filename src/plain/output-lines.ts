import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';

const words = () => catalogue().plain;

/** Splits printed text into lines. Each command gets a separate line, which is never wrapped. */
export const toOutputLines = (line: string): string[] => separateCommands(line).split('\n');

/** Formats a finding with its cause, its remedy, and the command that shows or fixes it. */
export function formatFinding({ severity, title, cause, remedy, command }: Finding): string[] {
  return [
    words().finding(severity, title),
    ...(cause === '' ? [] : toOutputLines(words().cause(cause))),
    ...(remedy === '' ? [] : toOutputLines(words().remedy(remedy))),
    ...(command === undefined ? [] : [words().command(command)]),
  ];
}

/** Formats the manual instructions of a plan, in which commands are indented. */
export function formatInstructions(instructions: readonly string[]): string[] {
  return instructions.flatMap((text) =>
    text.startsWith('  ') ? [words().command(text.trim())] : toOutputLines(words().instruction(text)),
  );
}
