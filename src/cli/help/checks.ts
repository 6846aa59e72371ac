import { JOIN_PREPARE_RULES, PREPARE_RULES } from '../../checks/prepare/checks.ts';
import { SITE_CHECKS } from '../../checks/site/index.ts';

import { catalogue } from '../../i18n/catalogue.ts';
import { formatProse } from '../../i18n/prose.ts';
import { findEntry } from '../../platform/files.ts';

import { type Block, heading, longTerms, text } from './page.ts';

const words = () => catalogue().check.page;

/** Returns every check of `upi-wizard check`, by phase. */
export function checksPage(): readonly Block[] {
  const { phases, severities } = words();
  const checkTexts = catalogue().diagnosis.site.checks;
  const { titles } = catalogue().diagnosis.prepare;
  const phaseNames = [...new Set(SITE_CHECKS.map(({ phase }) => phase))];
  return [
    text(words().intro),
    text(words().start),
    ...phaseNames.flatMap((phase) => [
      heading(phases[phase]),
      longTerms(
        SITE_CHECKS.filter((each) => each.phase === phase).map(({ code, severity }) => ({
          name: `${code}  ${severities[severity]}`,
          lines: [`${checkTexts[code].title}.`, ...formatProse(checkTexts[code].remedy).map(({ text: line }) => line)],
        })),
      ),
    ]),
    heading(words().prepare),
    longTerms(
      [...new Map([...PREPARE_RULES, ...JOIN_PREPARE_RULES].map(({ code, severity }) => [code, severity]))].map(
        ([code, severity]) => ({
          name: `${code}  ${severities[severity]}`,
          lines: [`${findEntry(titles, code) ?? code}.`],
        }),
      ),
    ),
  ];
}
