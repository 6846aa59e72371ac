import { OS_NAMES } from '../../design/model.ts';
import { PACKAGE_SOURCES, PACKAGE_USES, packagesOf } from '../../steps/shared/reference.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, terms, termsOf, text } from './page.ts';

const words = () => catalogue().help.hosts;

/** The service hosts set up from here, and the packages of each system, from the table that `install.sh` is made of. */
export function hostsPage(): readonly Block[] {
  const { intro, commands, reaching, confirmedTitle, confirmed, leftTitle, left } = words();
  const { packagesTitle, packages, systems, uses, source } = words();
  return [
    text(intro),
    termsOf(commands),
    ...reaching.map((each) => text(each)),
    heading(confirmedTitle),
    ...confirmed.map((each) => text(each)),
    heading(leftTitle),
    text(left),
    heading(packagesTitle),
    text(packages),
    ...OS_NAMES.flatMap((os) => {
      const named = packagesOf(os);
      return [
        heading(systems[os]),
        terms(
          PACKAGE_USES.filter((use) => named[use].length > 0).map((use) => ({
            name: named[use].join(' '),
            lines: [uses[use]],
          })),
        ),
        text(source(systems[os], PACKAGE_SOURCES[os])),
      ];
    }),
  ];
}
