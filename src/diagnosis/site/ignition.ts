import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import { ageOf, lifeOf } from '../prepare/expiry.ts';
import type { Answer } from './exchange.ts';
import { type Ask, ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said;

/** The certificates of the first day last for 24 hours: whoever boots later never becomes a node. */
export const ignitionAge: SiteCheck<'ignition-age'> = {
  code: 'ignition-age',
  phase: 'ignition',
  severity: 'fatal',
  asks: (site) => {
    const name = site.ignition[0]?.file;
    if (name === undefined) return [];
    return [
      askFiles(site, name, ({ expiresAt, now }) => {
        if (expiresAt === null) return { state: 'pending', detail: words().notMade };
        const left = expiresAt - now;
        const detail = words().lasts(lifeOf(left), new Date(expiresAt).toISOString());
        const age = ageOf(left);
        if (age === 'fresh') return { state: 'ok', detail };
        return { state: 'failed', detail, severity: age === 'old' ? 'warning' : 'fatal' };
      }),
    ];
  },
};

/** All files are of one run: the pointers lead to this cluster, and trust the authority that bootstrap.ign brings. */
export const ignitionRun: SiteCheck<'ignition-run'> = {
  code: 'ignition-run',
  phase: 'ignition',
  severity: 'fatal',
  asks: (site) =>
    eachFile(site, ({ isThere, problem }) => {
      if (!isThere) return { state: 'pending', detail: words().notMade };
      return problem === null ? { state: 'ok', detail: words().oneRun } : { state: 'failed', detail: problem };
    }),
};

/** What machines get is what the installer wrote: a copy that was left after a second run is the commonest mistake here. */
export const ignitionSame: SiteCheck<'ignition-same'> = {
  code: 'ignition-same',
  phase: 'ignition',
  severity: 'fatal',
  asks: (site) =>
    eachFile(site, ({ isThere, served, servedBy }) => {
      if (!isThere) return { state: 'pending', detail: words().notMade };
      if (served === 'unseen') return { state: 'unknown', detail: words().servedUnseen };
      return { state: served === 'same' ? 'ok' : 'failed', detail: servedBy };
    }),
};

function eachFile(site: Site, judge: (file: Answer<'ignition'>['files'][number]) => Verdict): Ask[] {
  return site.ignition.map(({ file }) =>
    askFiles(site, file, ({ files }) => {
      const found = files.find(({ name }) => name === file);
      return found === undefined ? { state: 'unknown', detail: '' } : judge(found);
    }),
  );
}

function askFiles({ ignition, dir }: Site, file: string, judge: (answer: Answer<'ignition'>) => Verdict): Ask {
  const files = ignition.map(({ url, file: name, pointsTo }) => ({ url, name, pointsTo }));
  const command = `ls -l --time-style=full-iso ${shellWord(`${dir}/${file}`)}; sha256sum ${shellWord(`${dir}/${file}`)}`;
  return ask('ignition', { files }, { subject: file, command }, judge);
}
