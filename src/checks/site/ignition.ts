import { isVersionAtLeast } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import { classifyAge, formatRemainingTime } from '../prepare/items.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type Query, type QueryVerdict, query, type SiteCheck, staticResult } from './query.ts';

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

/** The checksum of each image here is the one that this openshift-install publishes. */
export const imageChecksums: SiteCheck<'rhcos-sums'> = {
  code: 'rhcos-sums',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ images, imagesDir }) =>
    images.map(({ file }) => {
      const command = `sha256sum ${quoteShellArg(`${imagesDir}/${file}`)}; openshift-install coreos print-stream-json | grep ${file.replace(/^rhcos-/, '')}`;
      return query('images', { files: images.map((each) => each.file) }, { subject: file, command }, (answer) => {
        const state = answer.find(({ name }) => name === file)?.state ?? 'unchecked';
        const verdict = { ok: 'ok', missing: 'pending', wrong: 'failed', unchecked: 'unknown' } as const;
        return { state: verdict[state], detail: words().image[state] };
      });
    }),
};

/** Kernel, initramfs and root file system come from one build, which belongs to this minor version or an older one. */
export const imageBuild: SiteCheck<'rhcos-build'> = {
  code: 'rhcos-build',
  phase: 'boot-files',
  severity: 'fatal',
  listQueries: ({ images, version }) => {
    const [first] = images;
    if (first === undefined) return [];
    const builds = [...new Set(images.map(({ file }) => parseBuild(file)))];
    const command = images.map(({ url }) => `curl -sI ${url}`).join('; ');
    const about = { subject: builds.filter((build) => build !== null).join(', ') || first.file, command };
    const [build = null] = builds;
    if (builds.length > 1)
      return [staticResult(about, { state: 'failed', detail: images.map(({ file }) => file).join(', ') })];
    if (build === null) return [staticResult(about, { state: 'unknown', detail: words().unknownBuild })];
    const release = parseReleaseOfBuild(build);
    if (release === null) return [staticResult(about, { state: 'ok', detail: words().sameBuild(build) })];
    const isNewer = !isVersionAtLeast(version, release);
    return [
      staticResult(
        about,
        isNewer
          ? { state: 'failed', detail: words().newerBuild(build, release, version) }
          : { state: 'ok', detail: words().sameBuild(build) },
      ),
    ];
  },
};

/**
 * 418.94.202410090804-0 of rhcos-418.94.202410090804-0-live-kernel-x86_64; null: a name without a version, as on the
 * mirror.
 */
function parseBuild(file: string): string | null {
  return /^rhcos-(\d+(?:\.\d+)+-\d+)-/.exec(file)?.[1] ?? null;
}

/** 4.18 of 418.94.…; null for builds with the version of RHEL (9.6.20250523-0). */
function parseReleaseOfBuild(build: string): string | null {
  const [, major, minor] = /^([45])(\d{1,2})\.\d+\.\d{12}-/.exec(build) ?? [];
  return major === undefined || minor === undefined ? null : `${major}.${minor}`;
}
