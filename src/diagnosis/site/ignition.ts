import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { classifyAge, formatRemainingTime } from '../prepare/expiry.ts';
import type { ExpectedSite } from './expected-site.ts';
import type { ProbeAnswer } from './probe-types.ts';
import { type Query, type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said;

/** The first certificates are valid for 24 hours: a machine that boots later never becomes a node. */
export const ignitionAge: SiteCheck<'ignition-age'> = {
  code: 'ignition-age',
  phase: 'ignition',
  severity: 'fatal',
  listQueries: (site) => {
    const name = site.ignition[0]?.file;
    if (name === undefined) return [];
    return [
      queryIgnition(site, name, ({ expiresAt, now }) => {
        if (expiresAt === null) return { state: 'pending', detail: words().notCreated };
        const left = expiresAt - now;
        const detail = words().expiry(formatRemainingTime(left), new Date(expiresAt).toISOString());
        const age = classifyAge(left);
        if (age === 'fresh') return { state: 'ok', detail };
        return { state: 'failed', detail, severity: age === 'old' ? 'warning' : 'fatal' };
      }),
    ];
  },
};

/** All files come from one run: the pointers use this cluster's address, and trust the CA in bootstrap.ign. */
export const ignitionSameRun: SiteCheck<'ignition-run'> = {
  code: 'ignition-run',
  phase: 'ignition',
  severity: 'fatal',
  listQueries: (site) =>
    queryEachFile(site, ({ isThere, problem }) => {
      if (!isThere) return { state: 'pending', detail: words().notCreated };
      return problem === null ? { state: 'ok', detail: words().sameRun } : { state: 'failed', detail: problem };
    }),
};

/** The served files equal the installer's. A stale copy from an earlier run is the most common mistake here. */
export const ignitionUnchanged: SiteCheck<'ignition-same'> = {
  code: 'ignition-same',
  phase: 'ignition',
  severity: 'fatal',
  listQueries: (site) =>
    queryEachFile(site, ({ isThere, served, servedBy }) => {
      if (!isThere) return { state: 'pending', detail: words().notCreated };
      if (served === 'unseen') return { state: 'unknown', detail: words().servedHidden };
      return { state: served === 'same' ? 'ok' : 'failed', detail: servedBy };
    }),
};

function queryEachFile(
  site: ExpectedSite,
  evaluate: (file: ProbeAnswer<'ignition'>['files'][number]) => QueryVerdict,
): Query[] {
  return site.ignition.map(({ file }) =>
    queryIgnition(site, file, ({ files }) => {
      const found = files.find(({ name }) => name === file);
      return found === undefined ? { state: 'unknown', detail: '' } : evaluate(found);
    }),
  );
}

function queryIgnition(
  { ignition, dir }: ExpectedSite,
  file: string,
  evaluate: (answer: ProbeAnswer<'ignition'>) => QueryVerdict,
): Query {
  const files = ignition.map(({ url, file: name, pointsTo }) => ({ url, name, pointsTo }));
  const command = `ls -l --time-style=full-iso ${quoteShellArg(`${dir}/${file}`)}; sha256sum ${quoteShellArg(`${dir}/${file}`)}`;
  return query('ignition', { files }, { subject: file, command }, evaluate);
}
