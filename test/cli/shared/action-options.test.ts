import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { hostsCommand } from '../../../src/cli/hosts.ts';
import { infraCommand } from '../../../src/cli/infra.ts';
import { live } from '../../../src/i18n/en/live-commands.ts';
import { runOnSimulatedCluster } from '../../support/simulated-cluster.ts';

const ACTIONS = ['plan', 'apply', 'verify', 'undo'] as const;

test.each([
  ['infra', infraCommand],
  ['hosts', hostsCommand],
] as const)(
  '%s refuses each option that its action does not take, and names the actions that do',
  async (name, run) => {
    const optionsByAction = new Map(
      ACTIONS.map((action) => [action, COMMANDS.find((each) => each.name === `${name} ${action}`)?.options ?? {}]),
    );
    const options = new Map([...optionsByAction.values()].flatMap((each) => Object.entries(each)));
    let refusals = 0;
    for (const action of ACTIONS) {
      for (const [option, value] of options) {
        const acceptingActions = ACTIONS.filter((each) => Object.hasOwn(optionsByAction.get(each) ?? {}, option));
        // Nothing is opened: the arguments after the options are wrong as well.
        const argv = [action, `--${option}`, ...(value === null ? [] : ['x']), 'extra', 'extra'];
        const isOwn = acceptingActions.includes(action);
        const message = isOwn
          ? live.unexpectedArgument('extra')
          : live.optionOfOtherAction(
              option,
              acceptingActions.map((each) => `${name} ${each}`),
              `${name} ${action}`,
            );
        if (!isOwn) refusals += 1;
        const result = await runOnSimulatedCluster(run, argv, { cwd: '/' });
        expect([argv, result]).toEqual([argv, { code: 2, stdout: '', stderr: message }]);
      }
    }
    expect(refusals).toBeGreaterThan(5);
  },
);
