import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../src/checks/check.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { readCommands, SHELL_NAMES } from '../support/shell-words.ts';
import { applyInputs } from '../support/wizard-state.ts';
import { closeApp, readFrames, type Size } from './uncut.ts';
import { stepState, unknownMac } from './views.ts';

afterEach(closeApp);

const SIZE: Size = [80, 24];
const COMMANDS = [
  'journalctl -u dhcpd -n 200 --no-pager | grep -iE "no free leases|unknown network segment|not authoritative for"',
  `ssh root@172.16.0.102 "journalctl -u named --since '10 min ago' | grep -F 'not loaded due to errors' | tail -n 5"`,
  'ip addr del 172.16.0.111/24 dev "$(ip -o addr show to 172.16.0.111/32 | awk \'{ print $2; exit }\')" && systemctl restart keepalived',
];
const finding = (command: string): Finding => ({
  ...unknownMac,
  cause: 'The lease file is full.',
  remedy: `Read it: \`${command}\``,
});
const showPage = (command: string): WizardState =>
  applyInputs(stepState('operators', 'waiting', { findings: [] }), {
    type: 'overlay/show',
    page: { title: 'What is wrong', lines: ['1. The lease file is full', '   To be sure:', `     $ ${command}`] },
  });

/** Places that show a command: notes of a step, a page in which it stands in a sentence or alone. */
const PLACES: Readonly<Record<string, (command: string) => WizardState>> = {
  'the notes of a step': (command) => stepState('boot', 'waiting', { findings: [finding(command)] }),
  'a page': showPage,
  'a sentence of a page': (command) =>
    applyInputs(showPage(command), {
      type: 'overlay/show',
      page: { title: 'What is wrong', lines: [`   Do this: read it: \`${command}\` Then wait.`] },
    }),
};

/** Finds the command on the screen: from its first words to the first line that does not continue. */
function copyCommand(body: readonly string[], command: string): string {
  const start = body.findIndex((line) => line.includes(command.slice(0, 14)));
  const end = body.findIndex((line, index) => index >= start && !line.endsWith('\\'));
  return start < 0
    ? ''
    : body
        .slice(start, end + 1)
        .join('\n')
        .replace(/^\s*(?:\$ )?/, '');
}

test.each(Object.keys(PLACES))('a command in %s is pasted as it was written, in bash and zsh', async (place) => {
  for (const command of COMMANDS) {
    const state = PLACES[place]?.(command) as WizardState;
    const [frame = []] = await readFrames(state, SIZE, 'none');
    const copied = copyCommand(frame, command);
    expect(copied.split('\n').length, frame.join('\n')).toBeGreaterThan(1);
    for (const shell of SHELL_NAMES) {
      const [whole, pasted] = readCommands(shell, [command, copied]);
      expect(whole).not.toBeNull();
      expect(pasted, copied).toBe(whole);
    }
  }
});
