import { catalogue } from '../../i18n/catalogue.ts';
import { BUILT_IN_COMMANDS, EVENT_VARIABLES } from '../../steps/events/command.ts';
import { EVENTS } from '../../steps/events/index.ts';
import { type Block, heading, longTerms, text } from './page.ts';

/** Returns the events, when each is raised, and the command that then runs. */
export function eventsPage(): readonly Block[] {
  const words = catalogue().help.events;
  const builtIn: Readonly<Record<string, string>> = words.builtIn;
  const table = (names: readonly string[], texts: Readonly<Record<string, string>>) =>
    longTerms(names.map((name) => ({ name, lines: [texts[name] ?? ''] })));
  return [
    text(words.intro),
    heading(words.eventsTitle),
    table(EVENTS, words.events),
    text(words.raisedBy),
    heading(words.commandTitle),
    text(words.command),
    heading(words.variablesTitle),
    table(EVENT_VARIABLES, words.variables),
    heading(words.builtInTitle),
    table(Object.keys(BUILT_IN_COMMANDS), builtIn),
  ];
}
