/** Letters typed to find an option, and the option that was selected before them. */
export interface TypeAhead {
  readonly letters: string;
  readonly from: string;
}

/**
 * Index of the option for the typed letters, ignoring case; -1 if there is none. The first option that begins with them
 * wins, else the first with a word that does.
 */
export function findOption(labels: readonly string[], letters: string): number {
  const typed = letters.toLowerCase();
  const all = labels.map((label) => label.toLowerCase());
  const first = all.findIndex((label) => label.startsWith(typed));
  return first >= 0 ? first : all.findIndex((label) => label.split(/[\s._-]/).some((word) => word.startsWith(typed)));
}

/**
 * Index of the option with this name, or with a name of which this is a unique beginning; -1 if none or several match.
 */
export function findOptionByName(labels: readonly string[], text: string): number {
  const all = labels.map((label) => label.toLowerCase());
  const typed = text.toLowerCase();
  const exact = all.indexOf(typed);
  const matches = all.flatMap((label, index) => (label.startsWith(typed) ? [index] : []));
  return exact >= 0 ? exact : matches.length === 1 ? (matches[0] ?? -1) : -1;
}

/** Index of the next option after `index` that begins with this letter, wrapping around; `index` if no other does. */
export function findNextOption(labels: readonly string[], index: number, letter: string): number {
  const begins = (label: string | undefined) => label?.toLowerCase().startsWith(letter.toLowerCase()) === true;
  const others = labels.map((_, step) => (index + 1 + step) % labels.length);
  return others.find((other) => begins(labels[other])) ?? index;
}
