import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { hostsCommand } from '../../../src/cli/hosts.ts';
import { infraCommand } from '../../../src/cli/infra.ts';
import { live } from '../../../src/text/en/commands/live.ts';
import { runLive } from '../../support/live-cluster.ts';

const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;

test.each([
  ['infra', infraCommand],
  ['hosts', hostsCommand],
] as const)(
  '%s refuses each option that its action does nothing with, and names the actions that take it',
  async (name, run) => {
    const taken = new Map(
      ACTIONS.map((action) => [action, COMMANDS.find((each) => each.name === `${name} ${action}`)?.options ?? {}]),
    );
    const options = new Map([...taken.values()].flatMap((each) => Object.entries(each)));
    let refused = 0;
    for (const action of ACTIONS) {
      for (const [option, value] of options) {
        const takers = ACTIONS.filter((each) => Object.hasOwn(taken.get(each) ?? {}, option));
        // Nothing is opened: what follows the options is wrong as well.
        const argv = [action, `--${option}`, ...(value === null ? [] : ['x']), 'extra', 'extra'];
        const isOwn = takers.includes(action);
        const said = isOwn
          ? live.unexpectedArgument('extra')
          : live.ofOtherAction(
              option,
              takers.map((each) => `${name} ${each}`),
              `${name} ${action}`,
            );
        if (!isOwn) refused += 1;
        const ran = await runLive(run, argv, { cwd: '/' });
        expect([argv, ran]).toEqual([argv, { code: 2, stdout: '', stderr: said }]);
      }
    }
    expect(refused).toBeGreaterThan(5);
  },
);
