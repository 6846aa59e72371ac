import { BUILT_IN, TOLD } from '../../steps/events/command.ts';
import { EVENTS } from '../../steps/events/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, longTerms, text } from './page.ts';

/** What is raised when, and the command that runs then. */
export function eventsPage(): readonly Block[] {
  const words = catalogue().help.events;
  const builtIn: Readonly<Record<string, string>> = words.builtIn;
  const table = (names: readonly string[], said: Readonly<Record<string, string>>) =>
    longTerms(names.map((name) => ({ name, lines: [said[name] ?? ''] })));
  return [
    text(words.intro),
    heading(words.eventsTitle),
    table(EVENTS, words.events),
    text(words.who),
    heading(words.commandTitle),
    text(words.command),
    heading(words.variablesTitle),
    table(TOLD, words.variables),
    heading(words.builtInTitle),
    table(Object.keys(BUILT_IN), builtIn),
  ];
}
