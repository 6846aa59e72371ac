/** Messages of `upi-wizard doctor`, the check of this machine before an installation. */
import { plural } from '../plural.ts';

export const doctor = {
  title: 'This machine, before an installation',
  groups: {
    needed: 'Missing, and needed for an installation',
    warning: 'Should be fixed',
    note: 'Good to know',
    pending: 'Comes later',
    unknown: 'Cannot be checked here',
    ok: 'OK',
  },
  line: (title: string, evidence: string) => (evidence === '' ? title : `${title}: ${evidence}`),
  command: (command: string) => `$ ${command}`,
  ready: (count: number) =>
    `Nothing that an installation needs is missing here (${plural(count, 'check', 'checks')} ok).`,
  missing: (titles: readonly string[]) => `To fix first: ${titles.join('; ')}.`,
  unexpectedArgument: (argument: string) => `doctor takes no argument "${argument}".`,
};
