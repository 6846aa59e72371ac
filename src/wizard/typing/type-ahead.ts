/** The letters that a person types to find an option, and what was chosen before the first of them. */
export interface TypedAhead {
  readonly letters: string;
  readonly from: string;
}

/**
 * Index of the option that typed letters mean, in any case: the first that begins with them, else the first with a word
 * that does; -1 where there is none.
 */
export function optionFor(labels: readonly string[], letters: string): number {
  const typed = letters.toLowerCase();
  const all = labels.map((label) => label.toLowerCase());
  const first = all.findIndex((label) => label.startsWith(typed));
  return first >= 0 ? first : all.findIndex((label) => label.split(/[\s._-]/).some((word) => word.startsWith(typed)));
}

/** Index of the option that a line names: all of it, or a beginning that no other has; -1 where none or several have it. */
export function optionNamed(labels: readonly string[], text: string): number {
  const all = labels.map((label) => label.toLowerCase());
  const typed = text.toLowerCase();
  const exact = all.indexOf(typed);
  const begins = all.flatMap((label, index) => (label.startsWith(typed) ? [index] : []));
  return exact >= 0 ? exact : begins.length === 1 ? (begins[0] ?? -1) : -1;
}

/** The next option after `index` that begins with this letter, round to the start; the same where no other does. */
export function nextOption(labels: readonly string[], index: number, letter: string): number {
  const begins = (label: string | undefined) => label?.toLowerCase().startsWith(letter.toLowerCase()) === true;
  const others = labels.map((_, step) => (index + 1 + step) % labels.length);
  return others.find((other) => begins(labels[other])) ?? index;
}
