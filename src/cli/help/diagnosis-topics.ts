import { MACHINE_CHECK_IDS } from '../../checks/machine/checks.ts';
import { JOIN_PREPARE_CHECKS, PREPARE_CHECKS } from '../../checks/prepare/checks.ts';
import { DIAGNOSTIC_RULES, type DiagnosticRuleTexts } from '../../checks/rules/index.ts';
import { SITE_CHECKS } from '../../checks/site/index.ts';
import { OVERRULABLE_REASONS, type ReasonCode, type ShownVerdict } from '../../csr/verdict.ts';
import { HOST_OS_NAMES } from '../../design/choices.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatProse } from '../../i18n/prose.ts';
import { listDependencies, MOVES } from '../../infra/moves.ts';
import { findEntry } from '../../platform/table-lookup.ts';
import { listPackagesByUse, PACKAGE_SOURCES, PACKAGE_USES } from '../../steps/shared/reference.ts';
import { buildRulesPage } from './design-topics.ts';
import { type Block, heading, longTerms, terms, termsFromTable, text } from './page.ts';

const words = () => catalogue().check.page;

/** Returns every check of `upi-wizard check`, by phase. */
export function buildChecksPage(): readonly Block[] {
  const { phases, severities } = words();
  const checkTexts = catalogue().diagnosis.site.checks;
  const { titles } = catalogue().diagnosis.prepare;
  const machineChecks: Readonly<Record<string, { readonly title: string }>> = catalogue().diagnosis.machine;
  const phaseNames = [...new Set(SITE_CHECKS.map(({ phase }) => phase))];
  return [
    text(words().intro),
    text(words().start),
    terms(MACHINE_CHECK_IDS.map((id) => ({ name: id, lines: [findEntry(machineChecks, id)?.title ?? id] }))),
    ...phaseNames.flatMap((phase) => [
      heading(phases[phase]),
      longTerms(
        SITE_CHECKS.filter((check) => check.phase === phase).map(({ id, severity }) => ({
          name: `${id}  ${severities[severity]}`,
          lines: [`${checkTexts[id].title}.`, ...formatProse(checkTexts[id].remedy).map(({ text: line }) => line)],
        })),
      ),
    ]),
    heading(words().prepare),
    longTerms(
      [...new Map([...PREPARE_CHECKS, ...JOIN_PREPARE_CHECKS].map(({ id, severity }) => [id, severity]))].map(
        ([code, severity]) => ({
          name: `${code}  ${severities[severity]}`,
          lines: [`${findEntry(titles, code) ?? code}.`],
        }),
      ),
    ),
  ];
}

const diagnosisWords = () => catalogue().diagnose.page;

/** Returns every rule of `upi-wizard diagnose`. */
export function buildDiagnosisPage(): readonly Block[] {
  const ruleTexts = catalogue().diagnosis.causes;
  return [
    text(diagnosisWords().intro),
    text(diagnosisWords().bundle),
    text(diagnosisWords().likelihoods),
    heading(diagnosisWords().rulesTitle),
    longTerms(
      DIAGNOSTIC_RULES.map(({ id }) => {
        const { title, cause, remedy }: DiagnosticRuleTexts = ruleTexts[id];
        const remedyText = typeof remedy === 'string' ? remedy : remedy('NODE', null, ['NAME']);
        return { name: id, lines: [`${title}. ${cause}`, ...formatProse(remedyText).map(({ text: line }) => line)] };
      }),
    ),
  ];
}

/** Returns the entry of one diagnostic rule, check, infra move or design rule, by its id; null for an unknown id. */
export function buildEntryPage(id: string): readonly Block[] | null {
  const pages = [buildDiagnosisPage(), buildChecksPage(), buildMovesPage(), buildRulesPage()];
  const entries = pages
    .flat()
    .flatMap((block) => (block.kind === 'terms' ? block.terms.filter(({ name }) => name.split(' ')[0] === id) : []));
  return entries.length === 0 ? null : [longTerms(entries)];
}

const hostWords = () => catalogue().help.hosts;

/**
 * Returns the remote setup of service hosts, and the packages of each system, from the table that `install.sh` is built
 * from.
 */
export function buildHostsPage(): readonly Block[] {
  const { intro, commands, access, commitConfirmedTitle, commitConfirmed, lostConnectionTitle, lostConnection } =
    hostWords();
  const { packagesTitle, packages, systems, uses, source } = hostWords();
  return [
    text(intro),
    termsFromTable(commands),
    ...access.map((paragraph) => text(paragraph)),
    heading(commitConfirmedTitle),
    ...commitConfirmed.map((paragraph) => text(paragraph)),
    heading(lostConnectionTitle),
    text(lostConnection),
    heading(packagesTitle),
    text(packages),
    ...HOST_OS_NAMES.flatMap((os) => {
      const packageNames = listPackagesByUse(os);
      return [
        heading(systems[os]),
        terms(
          PACKAGE_USES.filter((use) => packageNames[use].length > 0).map((use) => ({
            name: packageNames[use].join(' '),
            lines: [uses[use]],
          })),
        ),
        text(source(systems[os], PACKAGE_SOURCES[os])),
      ];
    }),
  ];
}

/** Returns the infra moves in their order: where each acts, and which moves must come first. */
export function buildMovesPage(): readonly Block[] {
  const { intro, order, where, needs, jobTitle, job, undoTitle, undo, cloudTitle, cloud, elasticTitle, elastic } =
    catalogue().help.moves;
  const { byName, purposes } = catalogue().moves;
  return [
    text(intro),
    text(order),
    terms(
      MOVES.map((move) => {
        const prerequisites = listDependencies(move).map(({ name }) => name);
        const needsText = prerequisites.length === 0 ? [] : [needs(prerequisites.join(', '))];
        return {
          name: move.name,
          lines: [`${byName[move.name].title}. ${purposes[move.name]}`, [where[move.where], ...needsText].join(' ')],
        };
      }),
    ),
    heading(jobTitle),
    ...job.map((paragraph) => text(paragraph)),
    heading(cloudTitle),
    ...cloud.map((paragraph) => text(paragraph)),
    heading(elasticTitle),
    text(elastic),
    heading(undoTitle),
    ...undo.map((paragraph) => text(paragraph)),
  ];
}

/** Returns the verdicts on certificate requests, and every reason code with its sentence. */
export function buildCsrPage(): readonly Block[] {
  const { intro, verdictsTitle, reasonsTitle, manual, denial, followTitle, follow } = catalogue().help.csr;
  const verdicts: Readonly<Record<ShownVerdict, string>> = catalogue().help.csr.verdicts;
  const reasons: Readonly<Record<ReasonCode, string>> = catalogue().csr.reasons;
  return [
    text(intro),
    heading(verdictsTitle),
    termsFromTable(verdicts),
    heading(reasonsTitle),
    termsFromTable(reasons),
    text(manual([...OVERRULABLE_REASONS].join(', '))),
    text(denial),
    heading(followTitle),
    text(follow),
  ];
}
