import { catalogue, commandLine } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import { realWorld, siteWorld, type World } from '../shared/world.ts';

/**
 * The world of a rehearsal.
 * @param isOfFiles only its programs and files are wanted, which lie there whether the site runs or not
 * @throws TroubleError `site-gone`
 */
export async function worldOfSite(siteDir: string, dir: string, isOfFiles: boolean): Promise<World> {
  // This module can start processes and serve; a look at a real cluster needs none of that.
  const { findSite, siteFiles } = await import('../../rehearsal/site-client.ts');
  const site = await findSite(siteDir);
  if (site !== null) return siteWorld(site);
  if (isOfFiles) return { ...realWorld(dir), ...siteFiles(siteDir) };
  const { title, cause, whatToDo } = catalogue().live.target.siteGone;
  throw new TroubleError({
    code: 'site-gone',
    title,
    cause: cause(siteDir),
    whatToDo: whatToDo(commandLine('rehearse', '--dir', dir)),
  });
}
