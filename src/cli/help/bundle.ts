import { catalogue } from '../../i18n/catalogue.ts';
import { type Block, heading, termsFromTable, text } from './page.ts';

/** Contents of a support bundle. */
export function bundlePage(): readonly Block[] {
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
