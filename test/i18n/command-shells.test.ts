import { expect, test } from 'vitest';
import { longTerms, renderPage, terms, text } from '../../src/cli/help/page.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { splitProse, wrapCommand } from '../../src/i18n/prose.ts';
import { getDisplayWidth } from '../../src/platform/text.ts';
import { readCommands, SHELL_NAMES } from '../support/shell-words.ts';
import { listSentences } from './sentences.ts';

const PATTERN = 'no free leases|network .*: no free leases|DHCPDISCOVER from .* via eth0: unknown network segment';
const COMMANDS = [
  `journalctl -u dhcpd -n 200 | grep -iE "${PATTERN}"`,
  `ssh root@172.16.0.102 "journalctl -u named --since '10 min ago' | grep -F \\"not loaded due to errors\\""`,
  `echo "$(date -d "$(stat -c %y "/srv/my files/metadata of the first installation.json")" "+%s of today")" || true`,
  `for n in m1 m2 m3; do echo "$n: $(dig +short "$n.ocp45.example.localdomain" @172.16.0.102) is the address"; done`,
  `printf '%s\\n' 'a b' "c  d" e\\ f $'g\\th' \${HOME:-/root and more} > /tmp/'a file with a name that is long' 2>&1`,
  `echo "${'x y'.repeat(60)}" '${'z w'.repeat(60)}'`,
];
const WIDTHS = [38, 60, 63, 79, 118];

test.each(SHELL_NAMES)(
  '%s reads the same words at every width, inside double quotes and substitutions too',
  (shell) => {
    const broken = COMMANDS.flatMap((command) => WIDTHS.map((width) => wrapCommand(command, width)));
    for (const [index, lines] of broken.entries())
      for (const line of lines) expect(getDisplayWidth(line)).toBeLessThanOrEqual(WIDTHS[index % WIDTHS.length] ?? 0);
    const whole = readCommands(shell, COMMANDS);
    expect(whole).not.toContain(null);
    const expected = whole.flatMap((text) => WIDTHS.map(() => text));
    expect(
      readCommands(
        shell,
        broken.map((lines) => lines.join('\n')),
      ),
    ).toEqual(expected);
  },
);

test('a quoted text that fits into a line is never broken', () => {
  const lines = wrapCommand(COMMANDS[0] ?? '', 118);
  expect(lines.filter((line) => line.includes(`"${PATTERN}"`))).toHaveLength(1);
});

/** Every command of every text, with X for what is inserted. */
const ALL = [
  ...new Set(
    listSentences(catalogue()).flatMap((text) =>
      splitProse(text).flatMap((part) => (part.isCommand && / /.test(part.text) ? [part.text] : [])),
    ),
  ),
];

/**
 * Placeholders for what only the user can name: a registry, a disk to erase, an object to force. The last three stand
 * in the help about checks whose findings name the object.
 */
const USER_CHOICES = ['REGISTRY', 'DISK', 'KIND/OBJECT', 'NAME', 'ADDRESS', 'UNIT'];

test('the commands of a diagnosis have no other placeholders: they work when pasted', () => {
  const { diagnosis, steps, operatorWaits } = catalogue();
  const commands = listSentences([diagnosis, steps, operatorWaits]).flatMap((text) =>
    splitProse(text).flatMap((part) => (part.isCommand && / /.test(part.text) ? [part.text] : [])),
  );
  expect(commands.length).toBeGreaterThan(200);
  const placeholders = commands.flatMap((command) => {
    // Text in quotes is a pattern or a value; lists of columns and properties are names of nmcli.
    const unquoted = command.replaceAll(/'[^']*'|"[^"]*"/g, '').replaceAll(/\b[A-Z]+(?:[,.][A-Z]+)+/g, '');
    return unquoted.match(/(?<![\w$.=-])(?:[A-Z]+[-/])*[A-Z]{4,}\b/g) ?? [];
  });
  expect([...new Set(placeholders)].toSorted()).toEqual(USER_CHOICES.toSorted());
});

test.each(SHELL_NAMES)('%s reads every command of every text at 80 columns as in one line', (shell) => {
  expect(ALL.length).toBeGreaterThan(200);
  const whole = readCommands(shell, ALL);
  const broken = readCommands(
    shell,
    ALL.map((command) => wrapCommand(command, 62).join('\n')),
  );
  const different = ALL.filter((_, index) => whole[index] !== broken[index]);
  expect(different).toEqual([]);
  const unreadable = ALL.filter((_, index) => whole[index] === null);
  expect(unreadable).toEqual([]);
});

test('no command that a help page mentions is broken at 80 columns', () => {
  const command = '`oc adm release mirror`';
  const sentence = `Every release is accepted only with its signatures, which neither of these ${command} copies.`;
  for (const block of [
    text(sentence),
    terms([{ name: 'mirror', lines: [sentence] }]),
    longTerms([{ name: 'mirror', lines: [sentence] }]),
  ])
    expect(
      renderPage([block], 80)
        .split('\n')
        .filter((line) => line.includes(command)),
    ).toHaveLength(1);
});
