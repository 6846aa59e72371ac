import { bootChecks } from './boot-checks.ts';
import { networkChecks } from './network-checks.ts';
import { said } from './said.ts';

/** The checks of a site: `title` while it is right, `wrong` when it is not. A finding begins with what it is about. */
export const site = { checks: { ...networkChecks, ...bootChecks }, said };
