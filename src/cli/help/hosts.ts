import { OS_NAMES } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { PACKAGE_SOURCES, PACKAGE_USES, packagesByUse } from '../../steps/shared/reference.ts';
import { type Block, heading, terms, termsFromTable, text } from './page.ts';

const words = () => catalogue().help.hosts;

/**
 * The remote setup of service hosts, and the packages of each system, from the table that `install.sh` is built from.
 */
export function hostsPage(): readonly Block[] {
  const { intro, commands, access, commitConfirmedTitle, commitConfirmed, lostConnectionTitle, lostConnection } =
    words();
  const { packagesTitle, packages, systems, uses, source } = words();
  return [
    text(intro),
    termsFromTable(commands),
    ...access.map((each) => text(each)),
    heading(commitConfirmedTitle),
    ...commitConfirmed.map((each) => text(each)),
    heading(lostConnectionTitle),
    text(lostConnection),
    heading(packagesTitle),
    text(packages),
    ...OS_NAMES.flatMap((os) => {
      const packageNames = packagesByUse(os);
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
