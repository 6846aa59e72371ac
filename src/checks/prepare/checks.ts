import { isOkd, toMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { createCheckFactory } from '../check.ts';
import { findInstallerFault } from '../installer.ts';
import type { ImageEvidence, JoinPrepareEvidence, PrepareEvidence } from './evidence.ts';
import { ignitionExpired, ignitionExpires, listImagesToFetch } from './items.ts';

const check = createCheckFactory<PrepareEvidence>('ignition');
const joinCheck = createCheckFactory<JoinPrepareEvidence>('ignition');

/** Machines will request files that no server has, and stop during their installation. */
const bootFiles = check(
  'boot-files-missing',
  'fatal',
  ({ images, unservedFiles: allUnservedFiles, server, dir, imagesDir, bastionFilesDir }) => {
    // Missing images are left out: Prepare fetches them first, and this fatal finding must not block that.
    const imagesToFetch = listImagesToFetch(images);
    const unservedFiles = allUnservedFiles.filter(
      ({ path }) => !imagesToFetch.some((name) => path.endsWith(`/${name}`)),
    );
    if (unservedFiles.length === 0 || server === null) return [];
    const { title, remedy, remedyOtherServer } = catalogue().diagnosis.prepare['boot-files-missing'];
    return [
      {
        state: 'failed',
        title: title(unservedFiles.length),
        evidence: unservedFiles.map(({ path, detail }) => `${path} (${detail})`),
        remedy: server === 'other' ? remedyOtherServer(dir, imagesDir, bastionFilesDir) : remedy,
      },
    ];
  },
);

const words = () => catalogue().diagnosis.prepare;

/** The files in this directory are from another design. A running cluster keeps the design it was installed with. */
const configChanged = check('install-config-changed', 'warning', (evidence) => {
  const { title, cause, remedy, outdated } = words()['install-config-changed'];
  // Prepare would create the ignition files from the old one again.
  if (evidence.isPullSecretOutdated && !evidence.isClusterUp)
    return [{ state: 'failed', severity: 'fatal', ...outdated }];
  if (!isConfigOutdated(evidence)) return [];
  return [{ state: 'failed', title, evidence: [cause(evidence.dir)], remedy }];
});

/** The files in this directory come from more than one run, and their cluster is running. */
const mixedDirectoryInUse = check('install-dir-alive', 'fatal', (evidence) =>
  isInstallDirMixed(evidence) && evidence.isClusterUp ? [createDirectoryResult('install-dir-alive', evidence)] : [],
);

/** The files in this directory come from more than one run. */
const mixedDirectory = check('install-dir-used', 'warning', (evidence) =>
  isInstallDirMixed(evidence) && !evidence.isClusterUp ? [createDirectoryResult('install-dir-used', evidence)] : [],
);

function isConfigOutdated({ areFilesFromOtherConfig, isClusterUp }: PrepareEvidence): boolean {
  return areFilesFromOtherConfig && !isClusterUp;
}

function isInstallDirMixed(evidence: PrepareEvidence): boolean {
  return evidence.installDirStatus.state === 'mixed' && !isConfigOutdated(evidence);
}

function createDirectoryResult(code: 'install-dir-alive' | 'install-dir-used', { dir }: PrepareEvidence) {
  return { state: 'failed' as const, ...words()[code], evidence: [dir] };
}

const imageCheck = createCheckFactory<ImageEvidence>('ignition');

/** Images are damaged or from another build: a node that boots them stops during its installation. */
const imagesWrong = imageCheck('images-wrong', 'warning', (evidence) => {
  const imageNames = joinImageNames(evidence, 'wrong');
  return imageNames === '' ? [] : [{ state: 'failed', ...words()['images-wrong'], evidence: [imageNames] }];
});

const imagesMissing = imageCheck('images-missing', 'warning', (evidence) => {
  const cause = joinImageNames(evidence, 'missing');
  const { title, remedy, remedyMirror } = words()['images-missing'];
  if (cause === '') return [];
  const { imagesDir, downloadsDir = null } = evidence;
  const remedyText = downloadsDir === null ? remedy(cause) : remedyMirror(downloadsDir);
  return [{ state: 'failed', title: title(imagesDir), evidence: [cause], remedy: remedyText }];
});

/** No checksum of the images is available. */
const imagesUnchecked = imageCheck('images-unchecked', 'note', (evidence) => {
  const cause = joinImageNames(evidence, 'unchecked');
  return cause === '' ? [] : [{ state: 'failed', ...words()['images-unchecked'], evidence: [cause] }];
});

/** The images are of another minor version than the cluster. Nodes take the cluster's version when they join. */
const imagesOfOtherVersion = joinCheck('images-older', 'note', ({ clusterVersion, imagesVersion, requirements }) => {
  if (clusterVersion === null || toMinorVersion(clusterVersion) === toMinorVersion(requirements.version)) return [];
  const { title, cause, remedy } = words()['images-older'];
  return [
    { state: 'failed', title: title(imagesVersion || requirements.version, clusterVersion), evidence: [cause], remedy },
  ];
});

function joinImageNames({ images }: ImageEvidence, imageState: ImageEvidence['images'][number]['state']): string {
  return images
    .filter(({ state }) => state === imageState)
    .map(({ name }) => name)
    .join(', ');
}

/** Describes where openshift-install of this version comes from. */
export function describeInstallerSource(version: string): string {
  const { remedy, remedyOkd } = words()['installer-missing'];
  return (isOkd(version) ? remedyOkd : remedy)(version);
}

const installerMissing = check('installer-missing', 'warning', (evidence) => {
  const { installer, installerVersion, programDirectories, requirements, downloadsDir = null } = evidence;
  if (installer !== null && findInstallerFault(installerVersion, requirements) !== 'missing') return [];
  const { title, cause, remedyMirror } = words()['installer-missing'];
  const remedyText =
    downloadsDir === null
      ? describeInstallerSource(requirements.version)
      : remedyMirror(requirements.version, downloadsDir);
  return [{ state: 'failed', title, evidence: [cause(programDirectories.join(', '))], remedy: remedyText }];
});

/** openshift-install is of another version than the design. */
const installerVersionDiffers = check('installer-version', 'fatal', ({ installer, installerVersion, requirements }) => {
  if (
    installer === null ||
    installerVersion === null ||
    findInstallerFault(installerVersion, requirements) !== 'version'
  )
    return [];
  const { title, remedy } = words()['installer-version'];
  return [
    {
      state: 'failed',
      title: title(installerVersion.version ?? '', requirements.version),
      evidence: [installer],
      remedy,
    },
  ];
});

/** openshift-install does not report the architecture of its release: the design's architecture is assumed. */
const installerArchitectureUnknown = check(
  'installer-architecture-unknown',
  'note',
  ({ installer, installerVersion, requirements }) => {
    const { architecture } = requirements;
    if (installer === null || findInstallerFault(installerVersion, requirements) !== 'architecture-unknown') return [];
    const { title, remedy } = words()['installer-architecture-unknown'];
    return [{ state: 'failed', title: title(architecture), evidence: [installer], remedy: remedy(architecture) }];
  },
);

/** openshift-install installs clusters of another architecture than the design's. */
const installerArchitectureDiffers = check(
  'installer-architecture',
  'fatal',
  ({ installer, installerVersion, requirements }) => {
    const { architecture } = requirements;
    const reportedArchitecture = installerVersion?.architecture ?? null;
    if (
      installer === null ||
      reportedArchitecture === null ||
      findInstallerFault(installerVersion, requirements) !== 'architecture'
    )
      return [];
    const { title, remedy } = words()['installer-architecture'];
    return [
      {
        state: 'failed',
        title: title(reportedArchitecture, architecture),
        evidence: [installer],
        remedy: remedy(architecture),
      },
    ];
  },
);

/**
 * New nodes have no usable ignition file yet. Prepare reads it from the cluster, so the state is pending, not failed.
 */
const workerIgnition = joinCheck('worker-ignition', 'warning', ({ mustFetchIgnition, ignition }) => {
  if (!mustFetchIgnition) return [];
  const { untrusted } = catalogue().steps.nodeIgnition;
  const { title, remedy } = catalogue().diagnosis.prepare['worker-ignition'];
  const [problem] = ignition.problems;
  const cause = problem === undefined ? untrusted(ignition.role) : `${problem.title}: ${problem.cause}`;
  return [{ state: 'pending', title: title(ignition.role), evidence: [cause], remedy: remedy(ignition.role) }];
});

/** Checks before the first power-on; `fatal`: pressing Enter cannot correct it. */
export const PREPARE_CHECKS = [
  installerMissing,
  installerVersionDiffers,
  installerArchitectureDiffers,
  installerArchitectureUnknown,
  imagesWrong,
  imagesMissing,
  imagesUnchecked,
  configChanged,
  mixedDirectoryInUse,
  mixedDirectory,
  ignitionExpired,
  ignitionExpires,
  bootFiles,
];

/**
 * Checks for nodes that join a running cluster. Missing images are fatal: without an installer, the wizard cannot fetch
 * them.
 */
export const JOIN_PREPARE_CHECKS = [
  { ...imagesMissing, severity: 'fatal' as const },
  imagesOfOtherVersion,
  workerIgnition,
];
