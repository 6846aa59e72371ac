import { toMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../check.ts';
import { findInstallerFault } from '../files.ts';
import type { ImageEvidence, JoinPrepareEvidence, PrepareEvidence } from './evidence.ts';
import { ignitionExpired, ignitionExpires, listImagesToFetch } from './items.ts';

/** Machines will request files that no server has, and stop during their installation. */
const bootFiles: Rule<PrepareEvidence> = {
  code: 'boot-files-missing',
  severity: 'fatal',
  evaluate({ images, unserved: allUnserved, server, dir, imagesDir, bastionFiles }) {
    // Missing images are left out: Prepare fetches them first, and this fatal finding must not block that.
    const toFetch = listImagesToFetch(images);
    const unserved = allUnserved.filter(({ path }) => !toFetch.some((name) => path.endsWith(`/${name}`)));
    if (unserved.length === 0 || server === null) return [];
    const { title, remedy, remedyOtherServer } = catalogue().diagnosis.prepare['boot-files-missing'];
    return [
      {
        title: title(unserved.length),
        cause: unserved.map(({ path, detail }) => `${path} (${detail})`).join('; '),
        remedy: server === 'other' ? remedyOtherServer(dir, imagesDir, bastionFiles) : remedy,
      },
    ];
  },
};

const words = () => catalogue().diagnosis.prepare;

/** The files in this directory are from another design. A running cluster keeps the design it was installed with. */
const configChanged: Rule<PrepareEvidence> = {
  code: 'install-config-changed',
  severity: 'warning',
  evaluate(evidence) {
    if (!isOutdated(evidence)) return [];
    const { title, cause, remedy } = words()['install-config-changed'];
    return [{ title, cause: cause(evidence.dir), remedy }];
  },
};

/** The files in this directory come from more than one run, and their cluster is running. */
const directoryAlive: Rule<PrepareEvidence> = {
  code: 'install-dir-alive',
  severity: 'fatal',
  evaluate: (evidence) =>
    isMixed(evidence) && evidence.isClusterUp ? [describeDirectory('install-dir-alive', evidence)] : [],
};

/** The files in this directory come from more than one run. */
const directoryUsed: Rule<PrepareEvidence> = {
  code: 'install-dir-used',
  severity: 'warning',
  evaluate: (evidence) =>
    isMixed(evidence) && !evidence.isClusterUp ? [describeDirectory('install-dir-used', evidence)] : [],
};

function isOutdated({ isOfOtherConfig, isClusterUp }: PrepareEvidence): boolean {
  return isOfOtherConfig && !isClusterUp;
}

function isMixed(evidence: PrepareEvidence): boolean {
  return evidence.directory.state === 'mixed' && !isOutdated(evidence);
}

function describeDirectory(code: 'install-dir-alive' | 'install-dir-used', { dir }: PrepareEvidence) {
  return { ...words()[code], cause: dir };
}

/** Images are damaged or from another build: a node that boots them stops during its installation. */
const imagesWrong: Rule<ImageEvidence> = {
  code: 'images-wrong',
  severity: 'warning',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'wrong');
    return cause === '' ? [] : [{ ...words()['images-wrong'], cause }];
  },
};

/** Images are missing. */
const imagesMissing: Rule<ImageEvidence> = {
  code: 'images-missing',
  severity: 'warning',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'missing');
    const { title, remedy } = words()['images-missing'];
    return cause === '' ? [] : [{ title: title(evidence.imagesDir), cause, remedy: remedy(cause) }];
  },
};

/** No checksum of the images is available. */
const imagesUnchecked: Rule<ImageEvidence> = {
  code: 'images-unchecked',
  severity: 'note',
  evaluate(evidence) {
    const cause = joinNames(evidence, 'unchecked');
    return cause === '' ? [] : [{ ...words()['images-unchecked'], cause }];
  },
};

/** The images are of another minor version than the cluster. Nodes take the cluster's version when they join. */
const imagesOlder: Rule<JoinPrepareEvidence> = {
  code: 'images-older',
  severity: 'note',
  evaluate({ clusterVersion, release, wanted }) {
    if (clusterVersion === null || toMinorVersion(clusterVersion) === toMinorVersion(wanted.version)) return [];
    const { title, cause, remedy } = words()['images-older'];
    return [{ title: title(release || wanted.version, clusterVersion), cause, remedy }];
  },
};

function joinNames({ images }: ImageEvidence, wanted: ImageEvidence['images'][number]['state']): string {
  return images
    .filter(({ state }) => state === wanted)
    .map(({ name }) => name)
    .join(', ');
}

/** There is no openshift-install. */
const installerMissing: Rule<PrepareEvidence> = {
  code: 'installer-missing',
  severity: 'warning',
  evaluate({ program, version, programPath, wanted }) {
    if (program !== null && findInstallerFault(version, wanted) !== 'missing') return [];
    const { title, cause, remedy } = words()['installer-missing'];
    return [{ title, cause: cause(programPath.join(', ')), remedy: remedy(wanted.version) }];
  },
};

/** openshift-install is of another version than the design. */
const installerVersion: Rule<PrepareEvidence> = {
  code: 'installer-version',
  severity: 'fatal',
  evaluate({ program, version: found, wanted }) {
    if (program === null || found === null || findInstallerFault(found, wanted) !== 'version') return [];
    const { title, remedy } = words()['installer-version'];
    return [{ title: title(found.version ?? '', wanted.version), cause: program, remedy }];
  },
};

/** openshift-install does not report the architecture of its release: the design's architecture is assumed. */
const installerArchitectureUnknown: Rule<PrepareEvidence> = {
  code: 'installer-architecture-unknown',
  severity: 'note',
  evaluate({ program, version, wanted }) {
    const { architecture } = wanted;
    if (program === null || findInstallerFault(version, wanted) !== 'architecture-unknown') return [];
    const { title, remedy } = words()['installer-architecture-unknown'];
    return [{ title: title(architecture), cause: program, remedy: remedy(architecture) }];
  },
};

/** openshift-install installs clusters of another architecture than the design's. */
const installerArchitecture: Rule<PrepareEvidence> = {
  code: 'installer-architecture',
  severity: 'fatal',
  evaluate({ program, version, wanted }) {
    const { architecture } = wanted;
    const installs = version?.architecture ?? null;
    if (program === null || installs === null || findInstallerFault(version, wanted) !== 'architecture') return [];
    const { title, remedy } = words()['installer-architecture'];
    return [{ title: title(installs, architecture), cause: program, remedy: remedy(architecture) }];
  },
};

/**
 * A worker.ign exists that new nodes can use. Otherwise Prepare reads it from the cluster, so the state is pending, not
 * failed.
 */
const workerIgnition: Rule<JoinPrepareEvidence> = {
  code: 'worker-ignition',
  severity: 'warning',
  evaluate({ mustFetchIgnition, ignition }) {
    if (!mustFetchIgnition) return [];
    const { untrusted } = catalogue().steps.workerIgnition;
    const { title, remedy } = catalogue().diagnosis.prepare['worker-ignition'];
    const [problem] = ignition.problems;
    const cause = problem === undefined ? untrusted : `${problem.title}: ${problem.cause}`;
    return [{ state: 'pending', title, cause, remedy }];
  },
};

/** Rules before the first power-on; `fatal`: pressing Enter cannot correct it. */
export const PREPARE_RULES: readonly Rule<PrepareEvidence>[] = [
  installerMissing,
  installerVersion,
  installerArchitecture,
  installerArchitectureUnknown,
  imagesWrong,
  imagesMissing,
  imagesUnchecked,
  configChanged,
  directoryAlive,
  directoryUsed,
  ignitionExpired,
  ignitionExpires,
  bootFiles,
];

/**
 * Rules for nodes that join a running cluster. Missing images are fatal: without an installer, the wizard cannot fetch
 * them.
 */
export const JOIN_PREPARE_RULES: readonly Rule<JoinPrepareEvidence>[] = [
  { ...imagesMissing, severity: 'fatal' },
  imagesOlder,
  workerIgnition,
];
