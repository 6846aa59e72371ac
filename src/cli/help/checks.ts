import { PREPARE, PREPARE_LATER } from '../../diagnosis/prepare/index.ts';
import { SITE_CHECKS } from '../../diagnosis/site/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { proseRows } from '../../text/command-lines.ts';
import { entryOf } from '../../text/entry.ts';
import { type Block, heading, longTerms, text } from './page.ts';

const words = () => catalogue().check.page;

/** Every check of `upi-wizard check`, by phase. */
export function checksPage(): readonly Block[] {
  const { phases, severities } = words();
  const of = catalogue().diagnosis.site.checks;
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
          lines: [`${of[code].title}.`, ...proseRows(of[code].remedy).map(({ text: line }) => line)],
        })),
      ),
    ]),
    heading(words().prepare),
    longTerms(
      [...new Map([...PREPARE, ...PREPARE_LATER].map(({ code, severity }) => [code, severity]))].map(
        ([code, severity]) => ({
          name: `${code}  ${severities[severity]}`,
          lines: [`${entryOf(titles, code) ?? code}.`],
        }),
      ),
    ),
  ];
}
