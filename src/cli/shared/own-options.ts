import { catalogue } from '../../text/catalogue.ts';
import { UsageError } from './usage.ts';

/**
 * Refuses an option that is there and that the action of a command does nothing with: who gave it meant another action.
 * @param owners the actions that take an option, by its name; one that is not in it is taken by all
 * @throws UsageError that names those that take it
 */
export function refuseForeign(
  command: string,
  action: string,
  values: Readonly<Record<string, unknown>>,
  owners: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [option, actions] of Object.entries(owners)) {
    // A flag that nobody gave is false.
    const isGiven = values[option] !== undefined && values[option] !== false;
    if (isGiven && !actions.includes(action))
      throw new UsageError(
        catalogue().live.ofOtherAction(
          option,
          actions.map((each) => `${command} ${each}`),
          `${command} ${action}`,
        ),
      );
  }
}
