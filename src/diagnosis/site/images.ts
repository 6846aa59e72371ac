import { minorOf } from '../../design/versions.ts';
import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import { ask, type SiteCheck, told } from './question.ts';

const words = () => catalogue().diagnosis.site.said;

/** Every image here is the one that this openshift-install was made with, byte for byte. */
export const imageSums: SiteCheck<'rhcos-sums'> = {
  code: 'rhcos-sums',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ images, imagesDir }) =>
    images.map(({ file }) => {
      const command = `sha256sum ${shellWord(`${imagesDir}/${file}`)}; openshift-install coreos print-stream-json | grep ${file.replace(/^rhcos-/, '')}`;
      return ask('images', { files: images.map((each) => each.file) }, { subject: file, command }, (answer) => {
        const state = answer.find(({ name }) => name === file)?.state ?? 'unchecked';
        const verdict = { ok: 'ok', missing: 'pending', wrong: 'failed', unchecked: 'unknown' } as const;
        return { state: verdict[state], detail: words().image[state] };
      });
    }),
};

/** Kernel, initramfs and root file system are of one build, which is of this minor version or an older one. */
export const imageBuild: SiteCheck<'rhcos-build'> = {
  code: 'rhcos-build',
  phase: 'boot-files',
  severity: 'fatal',
  asks: ({ images, version }) => {
    const [first] = images;
    if (first === undefined) return [];
    const builds = [...new Set(images.map(({ file }) => buildOf(file)))];
    const command = images.map(({ url }) => `curl -sI ${url}`).join('; ');
    const about = { subject: builds.filter((build) => build !== null).join(', ') || first.file, command };
    const [build = null] = builds;
    if (builds.length > 1) return [told(about, { state: 'failed', detail: images.map(({ file }) => file).join(', ') })];
    if (build === null) return [told(about, { state: 'unknown', detail: words().noBuild })];
    const release = minorOfBuild(build);
    if (release === null) return [told(about, { state: 'ok', detail: words().oneBuild(build) })];
    const isNewer = isLater(release, minorOf(version) ?? version);
    return [
      told(
        about,
        isNewer
          ? { state: 'failed', detail: words().newerBuild(build, release, version) }
          : { state: 'ok', detail: words().oneBuild(build) },
      ),
    ];
  },
};

/** 418.94.202410090804-0 of rhcos-418.94.202410090804-0-live-kernel-x86_64; null: an unversioned name, as the mirror's. */
function buildOf(file: string): string | null {
  return /^rhcos-(\d+(?:\.\d+)+-\d+)-/.exec(file)?.[1] ?? null;
}

/** 4.18 of 418.94.…; null since builds carry the version of RHEL (9.6.20250523-0). */
function minorOfBuild(build: string): string | null {
  const [, major, minor] = /^([45])(\d{1,2})\.\d+\.\d{12}-/.exec(build) ?? [];
  return major === undefined || minor === undefined ? null : `${major}.${minor}`;
}

function isLater(one: string, other: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [one, other].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}
