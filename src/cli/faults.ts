import { FAULTS } from '../rehearsal/site/faults.ts';
import { catalogue } from '../text/catalogue.ts';

const INDENT = 4;
const NAME = 21;
const COLUMNS = 80;

/** The faults that a rehearsal can have, for the usage text: the name, and its sentence beside it within 80 columns. */
export function rehearsalFaults(): string {
  return FAULTS.flatMap((id) =>
    broken(catalogue().rehearsal.faults[id], COLUMNS - INDENT - NAME).map(
      (line, index) => `${' '.repeat(INDENT)}${(index === 0 ? id : '').padEnd(NAME)}${line}`,
    ),
  ).join('\n');
}

/** A sentence, wrapped into lines of at most `width` characters. */
function broken(sentence: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
