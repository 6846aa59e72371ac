import { catalogue, listLanguageCodes } from '../../i18n/catalogue.ts';
import { ENVIRONMENT_VARIABLES } from '../../platform/environment.ts';
import { FAULTS, REPAIR_KIND_BY_FAULT, REPAIR_KINDS } from '../../rehearsal/site/faults.ts';
import { STEP_IDS } from '../../steps/contract.ts';
import { BUILT_IN_COMMANDS, EVENT_VARIABLES, EVENTS } from '../../steps/events.ts';
import { type Block, heading, longTerms, terms, termsFromTable, text } from './page.ts';

/** The exit codes of the command line. Scripts rely on them. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5, 129, 130, 143] as const;

/** Returns the meaning of each exit code. */
export function buildExitCodesPage(): readonly Block[] {
  const { intro } = catalogue().help.exitCodes;
  const codes: Readonly<Record<(typeof EXIT_CODES)[number], string>> = catalogue().help.exitCodes.codes;
  return [text(intro), terms(EXIT_CODES.map((code) => ({ name: String(code), lines: [codes[code]] })))];
}

/** Returns the environment variables and their meanings. */
export function buildEnvironmentPage(): readonly Block[] {
  const { intro } = catalogue().help.environment;
  const variables: Readonly<Record<(typeof ENVIRONMENT_VARIABLES)[number], string>> =
    catalogue().help.environment.variables;
  return [text(intro), longTerms(ENVIRONMENT_VARIABLES.map((name) => ({ name, lines: [variables[name]] })))];
}

/** Returns the contents of the install directory. */
export function buildDirectoryPage(): readonly Block[] {
  const { intro, contentsTitle, contents, downloadsTitle, downloads, inUseTitle, inUse, copies, secrets } =
    catalogue().help.directory;
  return [
    text(intro),
    heading(contentsTitle),
    termsFromTable(contents),
    heading(downloadsTitle),
    text(downloads),
    heading(inUseTitle),
    text(inUse),
    text(copies),
    text(secrets),
  ];
}

/** Returns the available languages. */
export function buildLanguagesPage(): readonly Block[] {
  const { intro, known, data } = catalogue().help.languages;
  return [text(intro), text(known(listLanguageCodes().join(', '))), text(data)];
}

/** Returns the events, when each is raised, and the command that then runs. */
export function buildEventsPage(): readonly Block[] {
  const words = catalogue().help.events;
  const builtIn: Readonly<Record<string, string>> = words.builtIn;
  const buildTable = (names: readonly string[], texts: Readonly<Record<string, string>>) =>
    longTerms(names.map((name) => ({ name, lines: [texts[name] ?? ''] })));
  return [
    text(words.intro),
    heading(words.eventsTitle),
    buildTable(EVENTS, words.events),
    text(words.raisedBy),
    heading(words.commandTitle),
    text(words.command),
    heading(words.variablesTitle),
    buildTable(EVENT_VARIABLES, words.variables),
    heading(words.builtInTitle),
    buildTable(Object.keys(BUILT_IN_COMMANDS), builtIn),
  ];
}

/** Returns the explanation of the output of `status`, with the stages from the table of steps. */
export function buildStatusPage(): readonly Block[] {
  const { intro, watch, clusterTitle, cluster, kubeconfigTitle, kubeconfig, jsonTitle, json } = catalogue().help.status;
  const { stages } = catalogue().clusterCommands.status;
  return [
    text(intro),
    text(watch),
    heading(clusterTitle),
    text(cluster),
    heading(kubeconfigTitle),
    text(kubeconfig),
    heading(jsonTitle),
    text(json),
    terms(STEP_IDS.map((name) => ({ name, lines: [stages[name]] }))),
  ];
}

/** Returns the simulated site, and its faults from their table, by how the user repairs them. */
export function buildRehearsalPage(): readonly Block[] {
  const { intro, plain, cloud, iso, faultsTitle, faults, repairs } = catalogue().help.rehearsal;
  const sentences = catalogue().rehearsal.faults;
  return [
    ...[intro, plain, cloud, iso].map(text),
    heading(faultsTitle),
    text(faults),
    ...REPAIR_KINDS.flatMap((kind) => [
      text(repairs[kind]),
      terms(
        FAULTS.filter((name) => REPAIR_KIND_BY_FAULT[name] === kind).map((name) => ({
          name,
          lines: [sentences[name]],
        })),
      ),
    ]),
  ];
}

/** Builds the page about the contents of a support bundle. */
export function buildBundlePage(): readonly Block[] {
  const { intro, contentsTitle, redacted, partial } = catalogue().help.bundle;
  const { parts, exclusions } = catalogue().bundle;
  const files = {
    'about.json': parts.about,
    'programs.json': parts.programs,
    'design.json': parts.design,
    'session…': parts.session,
    'journal…': parts.journal,
    'upi-wizard….log': parts.programLog,
    'generated-files.json': parts.generated,
    'openshift_install.log': parts.installerLog,
    'boot-…': parts.bootServer,
    'report.md': parts.report,
    'jobs/…': parts.job,
    'listing.txt': parts.listing,
  };
  return [text(intro), heading(contentsTitle), termsFromTable(files), text(exclusions), text(redacted), text(partial)];
}
