import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, termsOf, text } from './page.ts';

/** What a support bundle holds. */
export function bundlePage(): readonly Block[] {
  const { intro, holdsTitle, redacted, partial } = catalogue().help.bundle;
  const { parts, never } = catalogue().bundle;
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
  return [text(intro), heading(holdsTitle), termsOf(files), text(never), text(redacted), text(partial)];
}
