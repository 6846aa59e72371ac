import { catalogue } from '../../i18n/catalogue.ts';
import { UsageError } from './io.ts';

/**
 * Rejects an option that the given action of a command ignores: the user probably meant another action.
 * @param optionActions the actions that accept an option, by its name; all actions accept an option that is not listed
 * @throws UsageError with the actions that accept it
 */
export function rejectForeignOptions(
  command: string,
  action: string,
  values: Readonly<Record<string, unknown>>,
  optionActions: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    // A flag that is not given is false.
    const isGiven = values[option] !== undefined && values[option] !== false;
    if (isGiven && !actions.includes(action))
      throw new UsageError(
        catalogue().live.optionOfOtherAction(
          option,
          actions.map((each) => `${command} ${each}`),
          `${command} ${action}`,
        ),
      );
  }
}
