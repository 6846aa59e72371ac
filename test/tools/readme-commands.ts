// Writes README's table of commands, from the table of commands: `node test/tools/readme-commands.ts`
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getLastWord, isGroup, listSubcommands } from '../../src/cli/commands.ts';
import { formatLongSynopsis, getSummary } from '../../src/cli/help/command-pages.ts';
import { loadLanguage } from '../../src/i18n/catalogue.ts';

const README = join(import.meta.dirname, '../../README.md');
const TABLE = /(?<=^\| command \| does \|\n\| --- \| --- \|\n)(?:\|.*\n)+/m;

/** Renders the table: a row for each command, with its subcommands. */
export function renderCommandRows(): string {
  const rows = ['' as const, ...listSubcommands('')].map((name) => {
    const [first = name, ...others] = isGroup(name) ? listSubcommands(name) : [name];
    const uses = [
      `upi-wizard ${formatLongSynopsis(first)}`.trim(),
      ...others.map((each) => formatLongSynopsis(each).slice(each.length - getLastWord(each).length)),
    ];
    return `| ${uses.map((use) => `\`${use.replaceAll('|', '\\|')}\``).join(', ')} | ${getSummary(name)} |\n`;
  });
  return rows.join('');
}

/** Reads the table as it stands in README. */
export const readCommandRows = (): string => TABLE.exec(readFileSync(README, 'utf8'))?.[0] ?? '';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await loadLanguage('en');
  writeFileSync(
    README,
    readFileSync(README, 'utf8').replace(TABLE, () => renderCommandRows()),
  );
}
