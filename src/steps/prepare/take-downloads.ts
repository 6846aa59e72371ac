import { join } from 'node:path';
import { getMirrorImageNames, type ImageSource, listImageFiles, stripSystemName } from '../../artifacts/boot/images.ts';
import { getProgramArchives, needsFipsInstaller } from '../../artifacts/downloads.ts';
import { findInstallerFault } from '../../checks/installer.ts';
import { GO_ARCHITECTURES } from '../../design/derived-facts.ts';
import { formatRelease, isExactVersion, isReleaseOfVersion } from '../../design/versions.ts';
import {
  copyMirrorFile,
  createMissingFilesError,
  createWrongReleaseError,
  hashMirrorFile,
  type MirrorDirectory,
  openMirrorDirectory,
  unpackMirrorProgram,
} from '../../host/mirror-dir.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { readInstallerVersion } from '../../installer/openshift-install.ts';
import { findProgram } from '../../installer/programs.ts';
import type { StepContext } from '../contract.ts';

type LineReporter = (line: string) => void;
const words = () => catalogue().steps.prepare.mirror;

/**
 * Takes openshift-install and, if there is none yet, oc from a directory with downloads.
 * @throws UserErrorException `mirror-…`, and those of the installer for one that does not run
 */
export async function takePrograms(context: StepContext, dir: string, report: LineReporter): Promise<void> {
  const mirror = await openMirrorDirectory(dir);
  const archives = getProgramArchives(context.design);
  const installer = needsFipsInstaller(context.design) ? 'openshift-install-fips' : 'openshift-install';
  if ((await findProgram('oc', context.programDirectories)) === null)
    await takeProgram(context, mirror, { stem: archives.client, program: 'oc' }, report);
  await takeProgram(context, mirror, { stem: archives.installer, program: installer }, report);
}

async function takeProgram(
  context: StepContext,
  mirror: MirrorDirectory,
  { stem, program }: { readonly stem: string; readonly program: string },
  report: LineReporter,
): Promise<void> {
  const { version: expected } = context.design.openshift;
  const name = chooseProgramFile(mirror, stem, program, expected);
  const sha256 = mirror.checksumByName.get(name) ?? null;
  if (sha256 === null) report(words().unchecked(name));
  const [targetDir = context.dir] = context.programDirectories;
  const to = join(targetDir, program);
  const accept = async (path: string) => {
    if (program !== 'oc') await assertRelease(context, mirror, name, path);
  };
  const options = { report, signal: context.signal, accept };
  if (name === program) await copyMirrorFile(mirror, name, to, sha256, { ...options, mode: 0o755 });
  else await unpackMirrorProgram(mirror, { archive: name, program, to, sha256 }, options);
}

/**
 * Chooses the archive of the design's version, the newest of several, or the program itself.
 * @throws UserErrorException `mirror-missing`, `mirror-version`
 */
function chooseProgramFile(mirror: MirrorDirectory, stem: string, program: string, expected: string): string {
  const pattern = new RegExp(`^${stem}(?:-(\\d[0-9A-Za-z.-]*))?\\.tar\\.gz$`);
  // Created on demand and not for the whole module, because the first Intl.Collator takes 6 MiB.
  const versionCollator = new Intl.Collator('en', { numeric: true });
  const archives = mirror.fileNames
    .flatMap((name) => {
      const match = pattern.exec(name);
      return match === null ? [] : [{ name, version: match[1] ?? null }];
    })
    .toSorted((a, b) => versionCollator.compare(b.version ?? '', a.version ?? ''));
  const matchingArchive = archives.find(({ version }) => version === null || isReleaseOfVersion(version, expected));
  if (matchingArchive !== undefined) return matchingArchive.name;
  if (mirror.fileNames.includes(program)) return program;
  const [otherArchive] = archives;
  if (otherArchive?.version)
    throw createWrongReleaseError(mirror, otherArchive.name, { actual: otherArchive.version, expected });
  const suffix = isExactVersion(expected) && !program.endsWith('-fips') ? `-${expected}` : '';
  throw createMissingFilesError(mirror, [{ name: `${stem}${suffix}.tar.gz`, sha256: null, similarFile: null }]);
}

async function assertRelease({ design }: StepContext, mirror: MirrorDirectory, name: string, path: string) {
  const { version: expected, architecture } = design.openshift;
  const actual = await readInstallerVersion(path);
  const fault = findInstallerFault(actual, { version: expected, goArchitecture: GO_ARCHITECTURES[architecture] });
  if (fault === 'version')
    throw createWrongReleaseError(mirror, name, { actual: formatRelease(actual.version ?? ''), expected });
  if (fault === 'architecture')
    throw createWrongReleaseError(mirror, name, { actual: `for ${actual.architecture ?? ''}`, expected: architecture });
}

/**
 * Takes images from a directory with downloads.
 * @param names the images that are missing or wrong
 * @param sources the images that the installer names, with their checksums; empty if it names none
 * @throws UserErrorException `mirror-…`
 */
export async function takeImages(
  context: StepContext,
  dir: string,
  { names, sources }: { readonly names: readonly string[]; readonly sources: readonly ImageSource[] },
  report: LineReporter,
): Promise<void> {
  const mirror = await openMirrorDirectory(dir);
  const options = { report, signal: context.signal };
  const { version, architecture } = context.design.openshift;
  const endings = listImageFiles(getMirrorImageNames(version, architecture)).map(stripSystemName);
  const images = names.map((name) => {
    const ending = endings.find((candidate) => name.endsWith(candidate));
    const isSimilar = (fileName: string) =>
      ending !== undefined && /^\w+cos-/.test(fileName) && fileName.endsWith(ending);
    const sha256 = sources.find((source) => source.name === name)?.sha256 ?? null;
    return { name, sha256, similarFiles: mirror.fileNames.filter(isSimilar) };
  });
  // All are reported at once: each may cost a trip to a machine with internet access.
  const missingImages = images.filter(
    ({ name, similarFiles }) => !mirror.fileNames.includes(name) && similarFiles.length === 0,
  );
  if (missingImages.length > 0) throw createMissingFilesError(mirror, missingImages.map(toMissingFile));
  for (const image of images) {
    const { name, sha256: publishedDigest, similarFiles } = image;
    const file = mirror.fileNames.includes(name)
      ? name
      : await findSameImage(mirror, similarFiles, publishedDigest, options);
    if (file === null) throw createMissingFilesError(mirror, [toMissingFile(image)]);
    const sha256 = publishedDigest ?? mirror.checksumByName.get(file) ?? null;
    if (sha256 === null) report(words().unchecked(file));
    // Without an installer that names the images, the file keeps its name, which contains the build.
    await copyMirrorFile(
      mirror,
      file,
      join(context.imagesDir, publishedDigest === null ? file : name),
      sha256,
      options,
    );
  }

  function toMissingFile({ name, sha256, similarFiles }: (typeof images)[number]) {
    return { name, sha256, similarFile: similarFiles[0] ?? null };
  }
}

/** Finds the same image under another name, as the mirror's directories by version have it; null if there is none. */
async function findSameImage(
  mirror: MirrorDirectory,
  names: readonly string[],
  publishedDigest: string | null,
  options: Parameters<typeof hashMirrorFile>[2],
): Promise<string | null> {
  if (publishedDigest === null) return names.length === 1 ? (names[0] ?? null) : null;
  for (const name of names) {
    // If the checksum list has another digest for the file, it need not be read: it is about a gigabyte.
    if ((mirror.checksumByName.get(name) ?? publishedDigest) !== publishedDigest) continue;
    if ((await hashMirrorFile(mirror, name, options)) === publishedDigest) return name;
  }
  return null;
}
