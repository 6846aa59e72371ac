import { getVersionProfile, isVersionAtLeast, listKnownVersions, toMinorVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { RemovedApi } from '../openshift/api-usage.ts';
import { getObservedBootImage, getRequestedBootImage, toManualBootImage } from '../openshift/boot-image.ts';
import {
  findUnhealthy,
  getField,
  getList,
  getString,
  isConditionTrue,
  type KubeObject,
  listConditions,
} from '../openshift/object.ts';
import type { OperatorView } from '../openshift/operator.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import { isRefused } from '../probes/image-policy.ts';
import type { ProbeAnswer, Unmeasurable } from '../probes/probe-types.ts';
import { type CheckResult, createCheckFactory } from './check.ts';

/** A part of the evidence: what was read, or why it could not be read. */
export type ReadResult<T> = { readonly value: T } | { readonly readError: string };

/** An object that may set the default runtime of CRI-O; `runtime`: `runc`, `crun`, or null if it sets none. */
export interface RuntimeSetting {
  readonly kind: string;
  readonly name: string;
  readonly runtime: string | null;
}

/** The state of the cluster, as far as its next update depends on it. */
export interface UpdateEvidence {
  /** The release that runs: `4.22.3`. */
  readonly version: string;
  readonly clusterVersion: ReadResult<KubeObject | null>;
  readonly infrastructure: ReadResult<KubeObject | null>;
  readonly machineConfiguration: ReadResult<KubeObject | null>;
  readonly operators: ReadResult<readonly OperatorView[]>;
  readonly pools: ReadResult<readonly KubeObject[]>;
  /** ContainerRuntimeConfigs, and the MachineConfigs of the pools that are not part of the release. */
  readonly runtimes: ReadResult<readonly RuntimeSetting[]>;
  /** APIs that the next version of Kubernetes does not have, with the clients that requested them. */
  readonly removedApis: ReadResult<readonly RemovedApi[]>;
  readonly featureGate: ReadResult<KubeObject | null>;
  /** The ConfigMaps admin-gates (with the text of each gate) and admin-acks; null: there is none. */
  readonly adminGates: ReadResult<KubeObject | null>;
  readonly adminAcks: ReadResult<KubeObject | null>;
  /** The mirrors of the release in the design, with the answer of each registry. */
  readonly mirrors: ReadResult<
    readonly { readonly name: string; readonly answer: ProbeAnswer<'registry'> | Unmeasurable }[]
  >;
}

const check = createCheckFactory<UpdateEvidence>('report');
const words = () => catalogue().diagnosis.update.texts;

/** Joins the lines of a message of the cluster, and makes the text safe to show. */
const sanitizeText = (text: string) => sanitizeLine(text, 600);

/** Evaluates a part of the evidence if it was read; otherwise the result is unknown, with the reason. */
function evaluateIfRead<T>(
  readResult: ReadResult<T>,
  evaluate: (value: T) => CheckResult | readonly CheckResult[] | null,
) {
  return 'value' in readResult
    ? evaluate(readResult.value)
    : { state: 'unknown' as const, evidence: [readResult.readError] };
}

/** Returns a command about an object; none if a shell or a page could misinterpret the name. */
function createCommandField(name: string, formatCommand: (name: string) => string): Pick<CheckResult, 'command'> {
  return /^[\w.:-]{1,253}$/.test(name) ? { command: formatCommand(name) } : {};
}

const SKEW_REASON = 'ClusterBootImageSkewError';

/** Finds why an operator forbids updates to the next minor version; null if it does not. */
const findUpgradeRefusal = ({ conditions }: OperatorView) =>
  conditions.find(({ type, status }) => type === 'Upgradeable' && status === 'False') ?? null;

/**
 * The recorded boot image is too old, or there is no record: then the release that installed the cluster counts
 * (openshift-docs#108103; openshift/api, operator/v1/types_machineconfiguration.go).
 */
const bootImage = check(
  'update-boot-image',
  'fatal',
  ({ version, infrastructure, operators, machineConfiguration }) => {
    if (!getVersionProfile(version).enforcesBootImageSkew) return null;
    const status = 'value' in infrastructure ? infrastructure.value?.status : null;
    if (getString(status, 'controlPlaneTopology') === 'SingleReplica') return null;
    const refusals =
      'value' in operators ? operators.value.flatMap((operator) => findUpgradeRefusal(operator) ?? []) : [];
    const skewRefusal = refusals.find(({ reason }) => reason === SKEW_REASON);
    if (skewRefusal !== undefined) return { state: 'failed', evidence: [sanitizeText(skewRefusal.message)] };
    return evaluateIfRead(machineConfiguration, (object) => {
      const observedImage = object && getObservedBootImage(object);
      if (object === null || observedImage === null) return { state: 'unknown', evidence: [words().noBootImage] };
      if (observedImage.mode === 'None')
        return { state: 'failed', severity: 'warning', title: words().skewOff, remedy: words().skewOffFix };
      const imageVersion = sanitizeText(observedImage.version ?? '');
      if (observedImage.mode === 'Automatic' || getRequestedBootImage(object) !== null)
        return { state: 'ok', evidence: [words().onRecord(imageVersion)] };
      const manualImage = toManualBootImage(null, imageVersion);
      return {
        state: 'failed',
        severity: 'warning',
        title: words().unrecorded,
        evidence: [words().assumed(imageVersion)],
        remedy: words().recordFix,
        ...(manualImage === null ? {} : { command: formatRecordCommand(manualImage) }),
      };
    });
  },
);

const formatRecordCommand = (manual: object) =>
  `oc patch machineconfiguration cluster --type merge -p ${quoteShellArg(JSON.stringify({ spec: { bootImageSkewEnforcement: { mode: 'Manual', manual } } }))}`;

/**
 * A mirror has the release without its signature, or with a wrong one. The next release would be copied there in the
 * same way, and the next version may refuse it (openshift-docs#104865, #115364).
 */
const signatures = check('update-signatures', 'fatal', ({ version, mirrors }) => {
  const nextVersion = getNextVersion(version);
  if (getVersionProfile(nextVersion).signatureVerifiedBy === 'none') return null;
  return evaluateIfRead(mirrors, (answers) =>
    answers.map(({ name, answer }): CheckResult => {
      const subject = sanitizeText(name);
      if ('isUnmeasured' in answer) return { state: 'unknown', subject, evidence: [sanitizeText(answer.detail)] };
      const { release, detail } = answer;
      if (release?.isPresent !== true || release.signature === null)
        return {
          state: 'unknown',
          subject,
          evidence: [release === undefined ? sanitizeText(detail) : words().noRelease],
        };
      if (release.signature !== 'tag')
        return { state: 'failed', subject, evidence: [words().unsigned(sanitizeText(release.digest), nextVersion)] };
      return isRefused(release.verdict)
        ? { state: 'failed', subject, evidence: [words().refusedSignature(sanitizeText(release.digest), nextVersion)] }
        : { state: 'ok', subject, evidence: [words().signed] };
    }),
  );
});

/**
 * Returns the minor version after that of a release; for OKD, a release of the next minor version. After the newest
 * known minor version, returns the newest one itself.
 */
function getNextVersion(version: string): string {
  const { minor, product } = getVersionProfile(version);
  const minorVersions = listKnownVersions(product);
  const nextMinorVersion = minorVersions[minorVersions.indexOf(minor) + 1] ?? minor;
  // OKD has a number after the minor version.
  return product === 'OKD' ? `${nextMinorVersion}.0-okd-scos.0` : nextMinorVersion;
}

/** Maximum number of names that a sentence lists. */
const MAX_NAMES = 5;
const formatFirstNames = (names: readonly string[]) =>
  [
    ...names.slice(0, MAX_NAMES).map(sanitizeText),
    ...(names.length > MAX_NAMES ? [`+${names.length - MAX_NAMES}`] : []),
  ].join(', ');

/** An API that is gone after the update, and its users of the last 24 hours (`oc get apirequestcounts`). */
const removedApis = check('update-removed-apis', 'warning', (evidence) =>
  evaluateIfRead(evidence.removedApis, (apis) => {
    const usedApis = apis.filter(({ users }) => users.length > 0);
    if (usedApis.length === 0) return { state: 'ok' };
    return usedApis.map(({ name, removedIn, users }) => ({
      state: 'failed',
      subject: sanitizeText(name),
      evidence: [words().removed(sanitizeText(removedIn), formatFirstNames(users))],
      ...createCommandField(name, (api) => `oc get apirequestcounts ${api} -o yaml`),
    }));
  }),
);

const pools = check('update-pools', 'fatal', (evidence) =>
  evaluateIfRead(evidence.pools, (machinePools) => {
    const poolResults = machinePools.flatMap((pool) => checkPool(pool) ?? []);
    return poolResults.length === 0 ? { state: 'ok' } : poolResults;
  }),
);

/** Reports a pool that is degraded (it stops an update), paused (its nodes stay behind) or updating. */
function checkPool(pool: KubeObject): CheckResult | null {
  const { name } = pool.metadata;
  const subject = sanitizeText(name);
  const problem = findUnhealthy(pool);
  if (problem !== null)
    return {
      state: 'failed',
      subject,
      title: words().poolDegraded(subject),
      evidence: [sanitizeText(problem.message)],
      ...createCommandField(name, (safeName) => `oc describe machineconfigpool ${safeName}`),
    };
  if (getField(pool.spec, 'paused') === true)
    return {
      state: 'failed',
      severity: 'warning',
      subject,
      title: words().poolPaused(subject),
      remedy: words().poolPausedFix,
      ...createCommandField(
        name,
        (safeName) => `oc patch machineconfigpool ${safeName} --type merge -p '{"spec":{"paused":false}}'`,
      ),
    };
  if (isConditionTrue(listConditions(pool), 'Updated')) return null;
  return {
    state: 'pending',
    subject,
    title: words().poolUpdating(subject),
    remedy: words().poolUpdatingFix,
    command: 'oc get machineconfigpools',
  };
}

const operators = check('update-operators', 'fatal', (evidence) =>
  evaluateIfRead(evidence.operators, (clusterOperators) => {
    const operatorResults = clusterOperators.flatMap((operator) => checkOperator(operator) ?? []);
    return operatorResults.length === 0 ? { state: 'ok' } : operatorResults;
  }),
);

/**
 * Reports an operator that forbids updates to the next minor version, or that is unhealthy. The boot image has a check
 * of its own.
 */
function checkOperator(operator: OperatorView): CheckResult | null {
  const { name, degraded, available } = operator;
  const subject = sanitizeText(name);
  const command = createCommandField(name, (safeName) => `oc describe clusteroperator ${safeName}`);
  const format = (...texts: readonly string[]) => [
    texts
      .filter((text) => text !== '')
      .map(sanitizeText)
      .join(': '),
  ];
  const refusal = findUpgradeRefusal(operator);
  if (refusal !== null && refusal.reason !== SKEW_REASON)
    return { state: 'failed', subject, evidence: format(refusal.reason, refusal.message), ...command };
  if (available && !degraded) return null;
  const texts = { title: words().operatorUnhealthy(subject), remedy: words().operatorUnhealthyFix };
  const evidence = format(operator.reason, operator.message);
  return { state: 'failed', severity: 'warning', subject, evidence, ...texts, ...command };
}

/**
 * RHEL 10 has no runc: the machine-config-operator refuses to render a pool that would change to RHEL 10
 * (openshift/enhancements, block-runc-on-rhcos10-upgrade.md). The update itself keeps the stream of a pool.
 */
const runc = check('update-runc', 'warning', ({ version, runtimes }) => {
  // 4.22 is the first with the choice of RHEL 10.
  if (!isVersionAtLeast(version, '4.22')) return null;
  return evaluateIfRead(runtimes, (runtimeConfigs) => {
    const runcConfigs = runtimeConfigs.filter(({ runtime }) => runtime === 'runc');
    if (runcConfigs.length === 0) return { state: 'ok' };
    return runcConfigs.map(({ kind, name }) => ({
      state: 'failed',
      subject: sanitizeText(`${kind} ${name}`),
      ...createCommandField(name, (safeName) => `oc get ${kind.toLowerCase()} ${safeName} -o yaml`),
    }));
  });
});

/** Feature sets that no update leaves (openshift/api, config/v1/types_feature.go). */
const FROZEN_FEATURE_SETS: ReadonlySet<string> = new Set([
  ...['TechPreviewNoUpgrade', 'DevPreviewNoUpgrade', 'CustomNoUpgrade'],
]);

const featureSet = check('update-feature-set', 'fatal', ({ featureGate }) =>
  evaluateIfRead(featureGate, (object) => {
    const featureSetName = getString(object?.spec, 'featureSet') ?? '';
    return FROZEN_FEATURE_SETS.has(featureSetName)
      ? { state: 'failed', evidence: [words().featureSet(featureSetName)] }
      : { state: 'ok' };
  }),
);

/** Pools stay on their stream of RHCOS: from 5.0 on there are two (openshift-docs, mco-image-streams). */
const osStream = check('update-os-stream', 'note', ({ version, pools: poolsResult }) => {
  if (getVersionProfile(version).osImageStream !== 'supported') return null;
  return evaluateIfRead(poolsResult, (machinePools) => {
    const oldPools = machinePools.filter(
      ({ spec, status }) =>
        (getString(status, 'osImageStream', 'name') ?? getString(spec, 'osImageStream', 'name')) === 'rhel-9',
    );
    if (oldPools.length === 0) return { state: 'ok' };
    return {
      state: 'failed',
      evidence: [words().oldStream(formatFirstNames(oldPools.map(({ metadata }) => metadata.name)))],
    };
  });
});

/** A gate of one minor version (cluster-version-operator, pkg/cvo/upgradeable.go). */
const GATE = /^ack-(\d+\.\d+)-[^-]/;
const GATE_ARGUMENT = /^[\w.-]{1,200}$/;

/** Changes of the next minor version that the administrator has to acknowledge. */
const adminAcks = check('update-acks', 'fatal', ({ version, adminGates, adminAcks: acksResult }) =>
  evaluateIfRead(adminGates, (gates) =>
    evaluateIfRead(acksResult, (acks) => {
      if (gates === null) return { state: 'unknown', evidence: [words().noGates] };
      const minor = toMinorVersion(version);
      const openGates = Object.entries(gates.data ?? {}).filter(
        ([gate]) => GATE.exec(gate)?.[1] === minor && acks?.data?.[gate] !== 'true',
      );
      if (openGates.length === 0) return { state: 'ok' };
      return openGates.map(([gate, text]) => ({
        state: 'failed',
        subject: sanitizeText(gate),
        evidence: [sanitizeText(text)],
        ...(GATE_ARGUMENT.test(gate) ? { command: formatAckCommand(gate) } : {}),
      }));
    }),
  ),
);

const formatAckCommand = (gate: string) =>
  `oc -n openshift-config patch configmap admin-acks --type merge -p ${quoteShellArg(JSON.stringify({ data: { [gate]: 'true' } }))}`;

/** Reasons of ClusterVersion that other checks explain. */
const EXPLAINED_REASONS = /^(?:AdminAckRequired|ClusterOperatorsNotUpgradeable|MultipleReasons|PoolUpdating)$/;

/**
 * A running update, and reasons of the cluster-version-operator that no other check explains, such as overrides or
 * deletions.
 */
const clusterVersion = check('update-cluster-version', 'fatal', (evidence) =>
  evaluateIfRead(evidence.clusterVersion, (object) => {
    if (object === null) return { state: 'unknown', evidence: [words().noClusterVersion] };
    const conditions = listConditions(object);
    const findCondition = (type: string) => conditions.find((condition) => condition.type === type);
    const progressingCondition = findCondition('Progressing');
    if (progressingCondition?.status === 'True')
      return {
        state: 'pending',
        title: words().progressing,
        evidence: [sanitizeText(progressingCondition.message)],
        remedy: words().progressingFix,
        command: 'oc get clusterversion',
      };
    const upgradeableCondition = findCondition('Upgradeable');
    const isOverridden = getList(object.spec, 'overrides').some((entry) => getField(entry, 'unmanaged') === true);
    if (isOverridden) return { state: 'failed', evidence: [words().overrides], remedy: words().overridesFix };
    const operatorReasons =
      'value' in evidence.operators
        ? evidence.operators.value.map((operator) => findUpgradeRefusal(operator)?.reason)
        : [];
    const isExplained =
      upgradeableCondition &&
      (EXPLAINED_REASONS.test(upgradeableCondition.reason) || operatorReasons.includes(upgradeableCondition.reason));
    return upgradeableCondition?.status === 'False' && !isExplained
      ? { state: 'failed', evidence: [sanitizeText(`${upgradeableCondition.reason}: ${upgradeableCondition.message}`)] }
      : { state: 'ok' };
  }),
);

/** Checks for everything that would block the next update of a cluster, or that the update would break. */
export const UPDATE_CHECKS = [
  clusterVersion,
  operators,
  bootImage,
  adminAcks,
  removedApis,
  pools,
  signatures,
  featureSet,
  runc,
  osStream,
];
