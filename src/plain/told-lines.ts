import type { Finding } from '../diagnosis/finding.ts';
import { catalogue } from '../text/catalogue.ts';
import { commandsApart } from '../text/command-lines.ts';

const words = () => catalogue().plain;

/** A line that is printed; each command in it has a line of its own below it, and is never folded. */
export const toldLines = (line: string): string[] => commandsApart(line).split('\n');

/** A finding with its cause, its remedy, and the command that shows the same or puts it right. */
export function findingLines({ severity, title, cause, whatToDo, command }: Finding): string[] {
  return [
    words().finding(severity, title),
    ...(cause === '' ? [] : toldLines(words().cause(cause))),
    ...(whatToDo === '' ? [] : toldLines(words().whatToDo(whatToDo))),
    ...(command === undefined ? [] : [words().command(command)]),
  ];
}

/** What a person does by hand; commands are indented in a plan. */
export function instructionLines(instructions: readonly string[]): string[] {
  return instructions.flatMap((text) =>
    text.startsWith('  ') ? [words().command(text.trim())] : toldLines(words().instruction(text)),
  );
}
