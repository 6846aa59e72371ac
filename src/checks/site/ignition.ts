import {
  bootUrl,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  listIgnitionFiles,
  WEB_ROOT,
} from '../../artifacts/shared/generator.ts';
import { getApiIntName } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUtc } from '../../platform/clock.ts';
import { quoteShellArg, quoteShellCommand } from '../../platform/shell-quoting.ts';
import { getFileName } from '../../platform/text.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { classifyLifetime, formatRemainingTime } from '../prepare/items.ts';
import { queryHeaders } from './boot-files.ts';
import { IGNITION_CLIENT_CHECK } from './server-access.ts';
import { createSiteCheckFactory, querySite, type SiteCheckContext, type SiteResult, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details;
const check = createSiteCheckFactory('ignition');

/** Checks of the ignition files. */
export const IGNITION_CHECKS = [
  IGNITION_CLIENT_CHECK,
  /** Ignition files exist and are served to their nodes only: the server refuses this machine. */
  check('ignition-served', 'fatal', (site) =>
    listExpectedFiles(site.design).map(({ name, url }) =>
      queryHeaders(site, url, name, ({ status, detail, encoding, type, location }) => {
        if (status === null) return { state: 'unknown', detail };
        if (location !== undefined && status >= 300 && status < 400)
          return { state: 'failed', detail: words().redirects(status, location), remedy: words().noRedirect };
        if (status === 200 && encoding !== undefined && encoding !== 'identity')
          return {
            state: 'failed',
            detail: words().compressed(encoding),
            remedy: words().noCompression(site.design.services.bastion.name),
          };
        if (status === 200 && type?.startsWith('text/html')) return { state: 'failed', detail: words().htmlInstead };
        if (status === 404) return { state: 'pending', detail };
        return { state: status === 403 || status === 200 ? 'ok' : 'failed', detail };
      }),
    ),
  ),
  /** The first certificates are valid for 24 hours: a machine that boots later never becomes a node. */
  check('ignition-age', 'fatal', (site) =>
    listExpectedFiles(site.design)
      .slice(0, 1)
      .map(({ name }) =>
        queryIgnition(site, name, ({ expiresAt, now }) => {
          if (expiresAt === null) return { state: 'pending', detail: words().notCreated };
          const remainingMs = expiresAt - now;
          const detail = words().expiry(formatRemainingTime(remainingMs), `${formatUtc(expiresAt, 'second')} UTC`);
          const lifetime = classifyLifetime(remainingMs);
          if (lifetime === 'fresh') return { state: 'ok', detail };
          // The cluster has left its bootstrap: no machine boots with these certificates any more.
          if (site.stage !== 'install') return { state: 'ok', detail: words().ignitionNotNeeded };
          return { state: 'failed', detail, severity: lifetime === 'old' ? 'warning' : 'fatal' };
        }),
      ),
  ),
  /** All files come from one run: the pointer files use this cluster's address, and trust the CA in bootstrap.ign. */
  check('ignition-run', 'fatal', (site) =>
    queryIgnitionFiles(site, ({ isPresent, problem }) => {
      if (!isPresent) return { state: 'pending', detail: words().notCreated };
      return problem === null ? { state: 'ok', detail: words().sameRun } : { state: 'failed', detail: problem };
    }),
  ),
  /** The served files equal the installer's. A stale copy from an earlier run is the most common mistake here. */
  check('ignition-same', 'fatal', (site) =>
    queryIgnitionFiles(site, ({ name, isPresent, content, servedDetail }) => {
      if (!isPresent) return { state: 'pending', detail: words().notCreated };
      if (content === 'unknown') return { state: 'unknown', detail: words().servedHidden };
      if (content === 'same') return { state: 'ok', detail: servedDetail };
      // The copy keeps the owner and the mode of the served file.
      const command = quoteShellCommand`sudo cp ${`${site.dir}/${name}`} ${`${WEB_ROOT}/ignition/${name}`}`;
      return {
        state: 'failed',
        detail: servedDetail,
        remedy: words().copyIgnition(site.design.services.bastion.name, command),
      };
    }),
  ),
];

/**
 * Lists the files under the names that openshift-install gives them. bootstrap.ign is first, and points to no other
 * file: `pointsTo` is the URL that a pointer ignition fetches the rest from; null: the file is complete.
 */
function listExpectedFiles(design: Design): { name: string; url: string; pointsTo: string | null }[] {
  const [url, inPlacePath] = [bootUrl(design), IN_PLACE_IGNITION_PATH];
  if (design.topology === 'single-node')
    return [{ name: getFileName(inPlacePath), url: `${url}${inPlacePath}`, pointsTo: null }];
  return listIgnitionFiles(design).map(({ path }) => {
    const name = getFileName(path);
    const server = `https://${getApiIntName(design)}:22623/config/${name.replace(/\.ign$/, '')}`;
    return { name, url: `${url}${path}`, pointsTo: path === ignitionPath('bootstrap') ? null : server };
  });
}

function queryIgnitionFiles(
  site: SiteCheckContext,
  evaluate: (file: ProbeAnswer<'ignition'>['files'][number]) => Verdict,
): Promise<SiteResult>[] {
  return listExpectedFiles(site.design).map((file) =>
    queryIgnition(site, file.name, ({ files }) => {
      const fileAnswer = files.find(({ name }) => name === file.name);
      return fileAnswer === undefined ? { state: 'unknown', detail: '' } : evaluate(fileAnswer);
    }),
  );
}

function queryIgnition(
  site: SiteCheckContext,
  name: string,
  evaluate: (answer: ProbeAnswer<'ignition'>) => Verdict,
): Promise<SiteResult> {
  const path = quoteShellArg(`${site.dir}/${name}`);
  const command = `ls -l --time-style=full-iso ${path}; sha256sum ${path}`;
  return querySite(site, 'ignition', { files: listExpectedFiles(site.design) }, { subject: name, command }, evaluate);
}
