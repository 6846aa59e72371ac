/**
 * Takes an option with a value (`--lang L` or `--lang=L`) out of the arguments of a program, before those of its
 * command are read; the last one counts. Nothing after `--` is an option.
 * @param option with its dashes
 * @returns the other arguments; `value` is empty for an option without a value, and undefined without the option
 */
export function takeOption(
  argv: readonly string[],
  option: string,
): { readonly argv: readonly string[]; readonly value?: string } {
  const otherArgs: string[] = [];
  let value: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      otherArgs.push(...argv.slice(index));
      break;
    }
    if (word === option) {
      index += 1;
      value = argv[index] ?? '';
    } else if (word.startsWith(`${option}=`)) value = word.slice(option.length + 1);
    else otherArgs.push(word);
  }
  return { argv: otherArgs, ...(value === undefined ? {} : { value }) };
}
