import { stringify } from 'yaml';
import downloadTemplate from '../../templates/downloads.sh.eta';
import fetchTemplate from '../../templates/fetch.sh.eta';
import type { Architecture } from '../design/choices.ts';
import { GO_ARCHITECTURES } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { getVersionProfile, isExactVersion, isOkd, isVersionAtLeast, toMinorVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { wrapLines } from '../platform/text.ts';
import { getMirrorImageNames, type ImageSource, listImageFiles, stripSystemName } from './boot/images.ts';
import { renderTemplate } from './shared/render.ts';

// Everything that an installation needs from the internet: openshift-install, oc and the RHCOS images.
// Prepare runs the fetch script on this machine. `export downloads` prints the download script, for a machine with
// internet access.

const words = () => catalogue().export.downloads;

/** Selection of the downloads. */
interface DownloadSelection {
  /** Whether to download openshift-install and oc. */
  readonly includesPrograms: boolean;
  /** Whether to download the installer for clusters in FIPS mode, which is a separate build. */
  readonly isFips?: boolean;
  /**
   * The images that the installer lists, with their URLs; `mirror`: those of the mirror, if no installer lists any;
   * null: no images.
   */
  readonly images: readonly ImageSource[] | 'mirror' | null;
}

const MIRROR_URL = 'https://mirror.openshift.com/pub/openshift-v4';

/** Returns the directory of the mirror with the images of a version. */
const imagesUrl = (version: string, architecture: Architecture) =>
  `${MIRROR_URL}/${architecture}/dependencies/rhcos/${getVersionProfile(version).minor}/latest`;

/** Returns the directory of the mirror with the programs of a version. */
function clientsUrl(version: string, architecture: Architecture): string {
  // "4.18" means the newest 4.18 that is generally available; the mirror calls it stable-4.18.
  const channel = isExactVersion(version) ? version : `stable-${version}`;
  return `${MIRROR_URL}/${architecture}/clients/ocp/${channel}`;
}

/**
 * Renders the script that downloads programs and images into its own directory, and checks them. The script needs only
 * curl and tar, so that it also runs on another machine if the bastion has no internet access. No mirror has the images
 * of OKD under known names: they are downloaded only if the installer lists them.
 */
export function renderPrepareFetchScript(
  version: string,
  architecture: Architecture,
  selection: DownloadSelection,
): string {
  const names = getMirrorImageNames(version, architecture);
  const imageNames = [names.kernel, names.initramfs, names.rootfs, names.metal].filter((name) => name !== null);
  return renderTemplate(fetchTemplate, {
    version,
    architecture,
    ...getReleaseValues(version),
    // Matches the exact version for OKD, whose list also has archives for other systems.
    archiveVersion: isOkd(version) ? version.replaceAll('.', '[.]') : null,
    fipsInstaller: selection.isFips ? getFipsInstallerArchive(architecture) : null,
    clients: selection.includesPrograms ? programsUrl(version, architecture) : null,
    images: Array.isArray(selection.images) ? selection.images : [],
    mirror: selection.images === 'mirror' && !isOkd(version) ? imagesUrl(version, architecture) : null,
    // Matches only the ends of image names: the mirror's lists have names with the build and, for some versions, also
    // names without it.
    endings: imageNames.map(stripSystemName),
  });
}

/** Describes the template values about a release that both scripts use. */
const getReleaseValues = (version: string) => ({
  product: getVersionProfile(version).product,
  isSigned: !isOkd(version),
});

const getFipsInstallerArchive = (architecture: Architecture) =>
  `openshift-install-rhel9-${GO_ARCHITECTURES[architecture]}`;

/** Whether this version needs openshift-install-fips for this design, and a host in FIPS mode to run it on. */
export function needsFipsInstaller({ fips, openshift }: Pick<Design, 'openshift' | 'fips'>): boolean {
  return fips && getVersionProfile(openshift.version).requiresFipsHost;
}

/** Returns the names of the archives with openshift-install and oc, without version and ending. */
export function getProgramArchives(design: Pick<Design, 'openshift' | 'fips'>) {
  const { architecture } = design.openshift;
  return {
    installer: needsFipsInstaller(design) ? getFipsInstallerArchive(architecture) : 'openshift-install-linux',
    client: 'openshift-client-linux',
  } as const;
}

/** The facts about the downloads that an openshift-install of the design's version knows. */
export interface KnownRelease {
  /** "4.18.11"; null for a build that reports none. */
  readonly version: string | null;
  /** The name of the image stream: "rhcos-4.18", "scos-4.20"; null: it names none. */
  readonly stream: string | null;
  /** Null if openshift-install does not list the images (before 4.8). */
  readonly images: readonly ImageSource[] | null;
}

/** One file to download. */
export interface Download {
  readonly kind: 'installer' | 'client' | 'kernel' | 'initramfs' | 'rootfs' | 'metal';
  readonly name: string;
  readonly url: string;
  /** Hexadecimal; null if only the list at `checksums` has it. */
  readonly sha256: string | null;
  /** The published list with the checksum of the file; null if `sha256` is known. */
  readonly checksums: string | null;
}

/** The downloads of a design. */
export interface DownloadList {
  /** The version of the release, as exactly as it is known. */
  readonly version: string;
  readonly architecture: Architecture;
  readonly stream: string | null;
  readonly files: readonly Download[];
  /** A sentence about the facts that are not known yet; null if all are known. */
  readonly unknown: string | null;
}

/** Lists what an installation of this design downloads. */
export function listDownloads(design: Design, release: KnownRelease | null): DownloadList {
  const { version: plannedVersion, architecture } = design.openshift;
  const version = release?.version ?? plannedVersion;
  const images = release?.images ?? null;
  const hasLatestImages = images === null && isVersionAtLeast(plannedVersion, '4.8');
  return {
    version,
    architecture,
    stream: release?.stream ?? null,
    files: [
      ...listPrograms(design, version),
      ...(images?.map(toImageDownload) ??
        (isOkd(plannedVersion) ? [] : listMirrorImages(plannedVersion, architecture))),
    ],
    unknown: hasLatestImages ? describeUnknownImages(plannedVersion, version) : null,
  };
}

const describeUnknownImages = (plannedVersion: string, version: string) =>
  isOkd(plannedVersion)
    ? words().unknownOkd(plannedVersion)
    : words().unknown(toMinorVersion(plannedVersion), isExactVersion(version));

/**
 * Returns the directory with the programs of a version. OKD publishes its programs with its releases (okd-project/okd),
 * under the same names as Red Hat.
 */
const programsUrl = (version: string, architecture: Architecture) =>
  isOkd(version)
    ? `https://github.com/okd-project/okd/releases/download/${version}`
    : clientsUrl(version, architecture);

function listPrograms(design: Design, version: string): Download[] {
  const baseUrl = programsUrl(version, design.openshift.architecture);
  const { installer, client } = getProgramArchives(design);
  // The archive with the installer for FIPS has no version in its name.
  const names = {
    installer: isExactVersion(version) && !needsFipsInstaller(design) ? `${installer}-${version}` : installer,
    client: isExactVersion(version) ? `${client}-${version}` : client,
  };
  return (['installer', 'client'] as const).map((kind) => {
    const name = `${names[kind]}.tar.gz`;
    return { kind, name, url: `${baseUrl}/${name}`, sha256: null, checksums: `${baseUrl}/sha256sum.txt` };
  });
}

function toImageDownload({ name, url, sha256 }: ImageSource): Download {
  return { kind: getImageKind(name), name, url, sha256, checksums: null };
}

function listMirrorImages(version: string, architecture: Architecture): Download[] {
  const baseUrl = imagesUrl(version, architecture);
  return listImageFiles(getMirrorImageNames(version, architecture)).map((name) => ({
    kind: getImageKind(name),
    name,
    url: `${baseUrl}/${name}`,
    sha256: null,
    checksums: `${baseUrl}/sha256sum.txt`,
  }));
}

const getImageKind = (name: string) =>
  (['kernel', 'initramfs', 'rootfs'] as const).find((kind) => name.includes(kind)) ?? 'metal';

/**
 * Renders the script that fetches all downloads into the current directory and compares them with their published
 * checksums. It needs a POSIX shell, curl and sha256sum.
 */
export function renderExportedDownloadScript({ version, architecture, files, unknown }: DownloadList): string {
  const hasListedChecksum = ({ sha256 }: Download) => sha256 === null;
  const isProgram = ({ kind }: Download) => kind === 'installer' || kind === 'client';
  return renderTemplate(downloadTemplate, {
    version,
    architecture,
    unknown: unknown === null ? [] : wrapLines(unknown, COMMENT_WIDTH),
    ...getReleaseValues(version),
    programs: files.filter(isProgram).map(({ name, url }) => ({
      name,
      url,
      base: parentUrl(url),
      // The lists have names with the version and, for some versions, also names without it.
      pattern: name.includes(version) ? null : `${name.replace(ARCHIVE_SUFFIX, '')}(-[0-9][0-9A-Za-z.-]*)?[.]tar[.]gz`,
    })),
    listedImages: files
      .filter((file) => hasListedChecksum(file) && !isProgram(file))
      .map(({ name, url }) => ({
        name,
        url,
        base: parentUrl(url),
        // The lists have names with the build and, for some versions, also names without it.
        pattern: `rhcos-[0-9A-Za-z._-]*${stripSystemName(name).replaceAll('.', '[.]')}`,
      })),
    images: files.filter((file) => !hasListedChecksum(file)),
  });
}

const parentUrl = (url: string) => url.slice(0, url.lastIndexOf('/'));
const ARCHIVE_SUFFIX = /\.tar\.gz$/;
const COMMENT_WIDTH = 118;

/**
 * Renders the ImageSetConfiguration with which oc-mirror v2 copies the release into a mirror registry, with its
 * signatures. Sources: openshift/oc-mirror, v2 (mirror.openshift.io/v2alpha1); for OKD, its docs/okd-mirror.md.
 */
export function renderImageSet({ openshift }: Design, version: string): string {
  // Without an exact version, oc-mirror takes the newest release of the channel.
  const range = isExactVersion(version) ? { minVersion: version, maxVersion: version } : {};
  const architectures = [GO_ARCHITECTURES[openshift.architecture]];
  // The graph image is Red Hat's, and holds no release of OKD.
  const platform = isOkd(version)
    ? { architectures, channels: [{ name: getOkdChannel(version), type: 'okd', ...range }] }
    : {
        architectures,
        channels: [{ name: `stable-${toMinorVersion(version)}`, type: 'ocp', ...range }],
        graph: true,
      };
  const document = { apiVersion: 'mirror.openshift.io/v2alpha1', kind: 'ImageSetConfiguration', mirror: { platform } };
  const comment = isOkd(version) ? words().imageSetOkd : words().imageSet(isExactVersion(version));
  return `${comment.map((line) => `# ${line}\n`).join('')}${stringify(document, { lineWidth: 0 })}`;
}

/** Returns the channel of an OKD release: `stable-4-scos`, or `next-4-scos` for a candidate (`.ec.`). */
const getOkdChannel = (version: string) =>
  `${version.includes('.ec.') ? 'next' : 'stable'}-${version.split('.')[0]}-scos`;
