import { bootChecks } from './boot-checks.ts';
import { certificate, certificateChecks } from './certificates.ts';
import { details } from './details.ts';
import { networkChecks } from './network-checks.ts';

/** The checks of a site: `title` if it passes, `wrong` if it fails. A finding begins with its subject. */
export const site = {
  checks: { ...networkChecks, ...certificateChecks, ...bootChecks },
  details: { ...details, certificate },
};
