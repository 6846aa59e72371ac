import { catalogue, commandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { createRuntime, createSiteRuntime, type Runtime } from './shared/runtime.ts';

/**
 * Finds the runtime of a rehearsal.
 * @param isFilesOnly only its programs and files are needed, which exist even if the site is stopped
 * @throws UserErrorException `site-gone`
 */
export async function findSiteRuntime(siteDir: string, dir: string, isFilesOnly: boolean): Promise<Runtime> {
  // This module can start processes and servers; probing a real cluster needs neither.
  const { findSite, siteFiles } = await import('../rehearsal/site-client.ts');
  const site = await findSite(siteDir);
  if (site !== null) return createSiteRuntime(site);
  if (isFilesOnly) return { ...createRuntime(dir), ...siteFiles(siteDir) };
  const { title, cause, remedy } = catalogue().live.target.siteGone;
  throw new UserErrorException({
    code: 'site-gone',
    title,
    cause: cause(siteDir),
    remedy: remedy(commandLine('rehearse', '--dir', dir)),
  });
}
